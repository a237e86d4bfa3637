import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextRound } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { LineWriter } from './log-sink.js';

/** When a file is rotated, and how long it is kept then. */
export interface RotationSettings {
  /** Path of the current file; rotated ones are beside it. */
  readonly path: string;
  /** Bytes of one file. */
  readonly maxBytes: number;
  /** Days that old files are kept; 0 for ever. */
  readonly maxAgeDays: number;
  /** Old files that are kept; 0 for all. */
  readonly maxBackups: number;
  /** Whether old files are compressed (gzip). */
  readonly compress: boolean;
  /**
   * Milliseconds that a line waits for others to be written with. Default 0: for those of the same round of the event
   * loop.
   */
  readonly gatherMs?: number;
  /** Returns milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number;
  /** Called with errors about rotated files. */
  readonly onError?: (error: unknown) => void;
}

interface Line {
  readonly text: string;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const DAY_MS = 86_400_000;
/** Time in the names of rotated files: `audit-2026-01-02T03-04-05.678.log`. */
const STAMP = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/;
/** Milliseconds for which a process may keep writing to a file that another one has rotated. */
const CHECK_MS = 1_000;

/**
 * A file of lines that is rotated when it is full. Names of rotated files are those of lumberjack, which the reference
 * uses. Several processes may write to one path: each line is whole, and a process that finds a new file there
 * continues in it.
 */
export class RotatingFile implements LineWriter {
  #lines: Line[] = [];
  #file: FileHandle | undefined;
  #inode = 0;
  #size = 0;
  #checkedAt = 0;
  #writing: Promise<void> | undefined;
  #closing = false;
  #goOn: () => void = () => undefined;
  #tidying: Promise<void> = Promise.resolve();

  private constructor(private readonly settings: RotationSettings) {}

  /** Creates the file, and its folder, if they do not exist. @throws errors of the file system */
  static async open(settings: RotationSettings): Promise<RotatingFile> {
    const file = new RotatingFile(settings);
    await mkdir(dirname(settings.path), { recursive: true, mode: 0o700 });
    await file.#open();
    file.#tidy();
    return file;
  }

  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#lines.push({ text, bytes: Buffer.byteLength(text), resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Closes once all lines are written. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#goOn();
    await this.#writing;
    await this.#tidying;
    await this.#file?.close();
    this.#file = undefined;
  }

  #gathered(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#goOn = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Lines that arrive while a write is in progress go out with the next, together. */
  async #writeAll(): Promise<void> {
    const { gatherMs = 0 } = this.settings;
    for (;;) {
      if (gatherMs > 0 && !this.#closing) await this.#gathered(gatherMs);
      // Lines of one round of the event loop go out together; none of their callers could have been answered earlier.
      else await nextRound();
      if (this.#lines.length === 0) {
        // Cleared at once: a line that arrives before the promise settles would wait for the next write.
        this.#writing = undefined;
        return;
      }
      const lines = this.#lines;
      this.#lines = [];
      try {
        await this.#checkExists();
        for (let from = 0; from < lines.length; ) from = await this.#writeSome(lines, from);
      } catch (error) {
        for (const { reject } of lines) reject(error);
      }
    }
  }

  /** Writes as many lines as the file has room for. @returns the index of the next line */
  async #writeSome(lines: readonly Line[], from: number): Promise<number> {
    const { maxBytes } = this.settings;
    let [to, bytes] = [from, 0];
    for (let line = lines[to]; line && this.#size + bytes + line.bytes <= maxBytes; line = lines[++to])
      bytes += line.bytes;
    const first = lines[from] as Line;
    if (to === from) {
      if (first.bytes > maxBytes) {
        first.reject(new Error(`write length ${first.bytes} exceeds maximum file size ${maxBytes}`));
        return from + 1;
      }
      await this.#rotate();
      return from;
    }
    const file = this.#file ?? (await this.#open());
    const some = lines.slice(from, to);
    await writeWhole(file, Buffer.from(some.map(({ text }) => text).join('')));
    this.#size += bytes;
    for (const { resolve } of some) resolve();
    return to;
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.settings.path, 'a', 0o600);
    const { ino, size } = await file.stat();
    [this.#file, this.#inode, this.#size, this.#checkedAt] = [file, ino, size, performance.now()];
    return file;
  }

  /** Another process may have rotated the file, or moved it away. */
  async #checkExists(): Promise<void> {
    if (this.#file && performance.now() - this.#checkedAt < CHECK_MS) return;
    if (await this.#isCurrent()) {
      this.#checkedAt = performance.now();
      this.#size = (await this.#file?.stat())?.size ?? 0;
    } else await this.#reopen();
  }

  async #isCurrent(): Promise<boolean> {
    if (!this.#file) return false;
    const found = await stat(this.settings.path).catch(() => undefined);
    return found?.ino === this.#inode;
  }

  async #reopen(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await this.#open();
  }

  async #rotate(): Promise<void> {
    const { path } = this.settings;
    if (await this.#isCurrent()) await rename(path, await this.#backupName());
    await this.#reopen();
    this.#tidy();
  }

  async #backupName(): Promise<string> {
    const { path, now = Date.now } = this.settings;
    const [, prefix, extension] = this.#nameParts();
    for (let at = now(); ; at++) {
      const stamp = new Date(at).toISOString().slice(0, -1).replaceAll(':', '-');
      const name = join(dirname(path), `${prefix}${stamp}${extension}`);
      const taken = await stat(name).catch(() => undefined);
      if (!taken) return name;
    }
  }

  #nameParts(): [folder: string, prefix: string, extension: string] {
    const { path } = this.settings;
    const extension = extname(path);
    return [dirname(path), `${basename(path, extension)}-`, extension];
  }

  /** Cleans up in the background. */
  #tidy(): void {
    this.#tidying = this.#tidying.then(() => this.#tidyNow()).catch((error) => this.settings.onError?.(error));
  }

  async #tidyNow(): Promise<void> {
    const { maxAgeDays, maxBackups, compress, now = Date.now } = this.settings;
    const backups = await this.#backups();
    const oldest = maxAgeDays > 0 ? now() - maxAgeDays * DAY_MS : Number.NEGATIVE_INFINITY;
    for (const [at, { path, time }] of backups.entries()) {
      if ((maxBackups > 0 && at >= maxBackups) || time < oldest) await rm(path, { force: true });
      else if (compress && !path.endsWith('.gz')) await compressed(path);
    }
  }

  /** Rotated files, the newest first. */
  async #backups(): Promise<{ path: string; time: number }[]> {
    const [folder, prefix, extension] = this.#nameParts();
    const found = [];
    for (const name of await readdir(folder)) {
      const plain = name.replace(/\.gz$/, '');
      if (!plain.startsWith(prefix) || !plain.endsWith(extension)) continue;
      const stamp = plain.slice(prefix.length, plain.length - extension.length);
      if (STAMP.test(stamp)) found.push({ path: join(folder, name), time: timeOf(stamp) });
    }
    return found.sort((a, b) => b.time - a.time);
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let from = 0; from < bytes.length; ) from += (await file.write(bytes, from)).bytesWritten;
}

const timeOf = (stamp: string): number => Date.parse(`${stamp.slice(0, 11)}${stamp.slice(11).replaceAll('-', ':')}Z`);

async function compressed(path: string): Promise<void> {
  const partial = `${path}.gz.tmp`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(partial, { mode: 0o600 }));
  await rename(partial, `${path}.gz`);
  await rm(path, { force: true });
}
