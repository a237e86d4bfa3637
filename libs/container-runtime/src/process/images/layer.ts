import { chmod, lchown, link, lstat, lutimes, mkdir, open, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { confinedPath } from './confined-path.js';
import { type ArchiveEntry, readTar } from './tar-entries.js';

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
const LONGEST_PATH = 4_096;
const DIRECTORY_MODE = 0o755;
/** Bytes of an archive for each entry, beside the content: headers, long names, padding. */
const ENTRY_BYTES = 4_096;

/** Limits of an image's files; an image that exceeds one is refused. */
export interface ImageLimits {
  /** Bytes of all files of all layers. */
  readonly bytes: number;
  /** Files, folders and links of all layers, with folders that only paths name. */
  readonly entries: number;
}

/** The root folder of an image, into which layers are unpacked one above another. */
export class LayeredRoot {
  #bytes = 0;
  #entries = 0;
  /** Modes of folders, set at the end: one that may not be written to is still filled. */
  readonly #modes = new Map<string, number>();

  /**
   * @param root an empty folder, in which nobody else writes
   * @param owns whether owners can be set: as root only
   */
  constructor(
    private readonly root: string,
    private readonly limits: ImageLimits,
    private readonly owns: boolean,
  ) {}

  /** Bytes of files so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Unpacks a layer, an uncompressed archive. @throws Error for hostile and damaged ones */
  async unpack(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const own = new Set<string>();
    await readTar(this.#bounded(bytes), async (entry) => {
      this.#count(entry);
      const name = basename(entry.path);
      if (name === OPAQUE) await this.#clear(dirname(entry.path), own);
      else if (name.startsWith(WHITEOUT))
        await this.#remove(join(dirname(entry.path), name.slice(WHITEOUT.length)), own);
      else own.add(await this.#place(entry));
    });
  }

  /** Sets what waits for the end. */
  async finish(): Promise<void> {
    for (const [path, mode] of [...this.#modes].reverse()) {
      // Another layer may have put a link in the place of a folder above it.
      if ((await confinedPath(this.root, relative(this.root, path))) !== path) continue;
      const found = await lstat(path).catch(() => undefined);
      if (found?.isDirectory()) await chmod(path, mode);
    }
  }

  /** Passes the bytes of an archive on, as many as its files can account for. */
  async *#bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const most = this.limits.bytes + this.limits.entries * ENTRY_BYTES;
    let passed = 0;
    for await (const piece of bytes) {
      passed += piece.length;
      if (passed > most) throw new Error(`an archive of more than ${most} bytes`);
      yield piece;
    }
  }

  #count({ path, size }: ArchiveEntry): void {
    this.#bytes += size;
    if (path.length > LONGEST_PATH) throw new Error(`a path of ${path.length} characters`);
    if (this.#bytes > this.limits.bytes) throw new Error(`files of more than ${this.limits.bytes} bytes`);
    this.#countOne();
  }

  #countOne(): void {
    this.#entries++;
    if (this.#entries > this.limits.entries) throw new Error(`more than ${this.limits.entries} files`);
  }

  /** Makes a folder that an entry lies in. */
  readonly #makeAbove = async (folder: string): Promise<void> => {
    this.#countOne();
    await mkdir(folder);
  };

  /** Puts an entry into its place; returns where. */
  async #place(entry: ArchiveEntry): Promise<string> {
    const path = (await confinedPath(this.root, entry.path, this.#makeAbove)) ?? this.root;
    const existing = await lstat(path).catch(() => undefined);
    const isFolder = entry.type === 'Directory';
    if (existing && path !== this.root && !(isFolder && existing.isDirectory()))
      await rm(path, { recursive: true, force: true });
    switch (entry.type) {
      case 'Directory':
        if (!existing?.isDirectory()) await mkdir(path);
        this.#modes.set(path, entry.mode ?? DIRECTORY_MODE);
        break;
      case 'File':
      case 'OldFile':
      case 'ContiguousFile':
        await writeContent(path, entry);
        break;
      case 'SymbolicLink':
        await symlink(entry.linkpath ?? '', path);
        break;
      case 'Link':
        await this.#link(path, entry.linkpath ?? '');
        return path;
      default:
        // Devices and pipes: containers get those of their own /dev.
        return path;
    }
    await this.#own(path, entry);
    return path;
  }

  async #link(path: string, target: string): Promise<void> {
    const from = await confinedPath(this.root, target);
    const found = from && (await lstat(from).catch(() => undefined));
    if (!from || !found || found.isDirectory()) throw new Error(`a link to ${target}, which is no file of the image`);
    await link(from, path);
  }

  async #own(path: string, { type, uid = 0, gid = 0, mode = 0o644, mtime }: ArchiveEntry): Promise<void> {
    if (this.owns) await lchown(path, uid, gid);
    if (type === 'SymbolicLink') return;
    // A change of owners takes set-user-id bits away.
    if (type !== 'Directory') await chmod(path, mode);
    if (mtime) await lutimes(path, mtime, mtime);
  }

  /** Removes a file of a lower layer. */
  async #remove(path: string, own: ReadonlySet<string>): Promise<void> {
    const found = await confinedPath(this.root, path);
    if (found !== undefined && found !== this.root && !own.has(found))
      await rm(found, { recursive: true, force: true });
  }

  /** Removes everything that lower layers have put into a folder. */
  async #clear(folder: string, own: ReadonlySet<string>): Promise<void> {
    const found = await confinedPath(this.root, folder);
    const isFolder = found !== undefined && (await lstat(found).catch(() => undefined))?.isDirectory();
    if (found === undefined || !isFolder) return;
    for (const name of await readdir(found)) {
      const path = join(found, name);
      if (own.has(path)) continue;
      if ([...own].some((each) => each.startsWith(`${path}/`))) await this.#clear(join(folder, name), own);
      else await rm(path, { recursive: true, force: true });
    }
  }
}

async function writeContent(path: string, { content, size }: ArchiveEntry): Promise<void> {
  if (size === 0) return writeFile(path, '', { flag: 'wx' });
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of content) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}
