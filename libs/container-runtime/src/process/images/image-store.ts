import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredImage } from '../../images.js';
import { readJson, writeJson } from '../state/json-file.js';
import type { ImageProcess } from './image-process.js';
import { type ImageLimits, LayeredRoot } from './layer.js';
import { type LayoutImage, OciLayout } from './oci-layout.js';
import { fullReference, repositoryOf } from './reference.js';

const ARCHIVE = /\.tar$/;
const RECORD = 'image.json';
const ROOT = 'root';

/** An image that is unpacked. */
export interface UnpackedImage {
  /** Digest of its configuration. */
  readonly id: string;
  /** Names with tags. */
  readonly names: readonly string[];
  /** Digest of its manifest; empty for a plain folder. */
  readonly manifest: string;
  /** Bytes of its files. */
  readonly size: number;
  /** Defaults for its processes. */
  readonly defaults: ImageProcess;
  /** Absolute path of its root folder. */
  readonly root: string;
}

/** Settings of the store. */
interface ImageStoreOptions {
  /** Folder of what is unpacked. */
  readonly folder: string;
  /** Folder with archives and folders in the OCI layout, and plain root folders; absent: none. */
  readonly source?: string;
  /** Limits of one image. */
  readonly limits: ImageLimits;
  /** Receives why a file of the source is no image. */
  readonly onError: (error: Error) => void;
}

/** The images of the process runtime: read from a folder, as it has no registry. */
export class ImageStore {
  readonly #images = new Map<string, UnpackedImage>();
  /** Time and size of what has been loaded, by path. */
  readonly #loaded = new Map<string, string>();
  #loading: Promise<void> | undefined;

  constructor(private readonly options: ImageStoreOptions) {
    mkdirSync(options.folder, { recursive: true, mode: 0o711 });
    for (const name of readdirSync(options.folder)) {
      const record = readJson<UnpackedImage>(join(options.folder, name, RECORD));
      if (record) this.#images.set(record.id, record);
      // A process ended while it was unpacked.
      else rmSync(join(options.folder, name), { recursive: true, force: true });
    }
  }

  /** Unpacks what is new in the source. Broken files are reported and left out. */
  async load(): Promise<void> {
    this.#loading ??= this.#loadAll().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async #loadAll(): Promise<void> {
    const { source, onError } = this.options;
    if (source === undefined || !existsSync(source)) return;
    for (const name of readdirSync(source).sort()) {
      const path = join(source, name);
      try {
        await this.#loadOne(path, name);
      } catch (cause) {
        onError(new Error(`${path} is no image: ${(cause as Error).message}`, { cause }));
      }
    }
  }

  async #loadOne(path: string, name: string): Promise<void> {
    const found = statSync(path, { throwIfNoEntry: false });
    const version = `${found?.mtimeMs} ${found?.size}`;
    if (!found || this.#loaded.get(path) === version) return;
    this.#loaded.set(path, version);
    if (found.isDirectory()) await this.#loadFolder(path, name);
    else if (ARCHIVE.test(name)) await this.#loadArchive(path);
  }

  /** Returns all images. */
  list(): readonly UnpackedImage[] {
    return [...this.#images.values()];
  }

  /** Returns the image of an id, of its beginning from 12 digits on, or of a name. */
  find(image: string): UnpackedImage | undefined {
    const all = this.list();
    const byId = all.find(({ id }) => id === image || id === `sha256:${image}`);
    const reference = fullReference(image);
    return byId ?? all.find((each) => each.names.includes(reference) || digestsOf(each).includes(reference));
  }

  /** Removes an image with its files. */
  async remove(image: string): Promise<void> {
    const found = this.find(image);
    if (!found) return;
    this.#images.delete(found.id);
    // It can be loaded again.
    this.#loaded.clear();
    await rm(this.#place(found.id), { recursive: true, force: true });
  }

  async #loadArchive(path: string): Promise<void> {
    const folder = join(this.options.folder, `unpacking-${randomUUID()}`);
    mkdirSync(folder, { mode: 0o700 });
    try {
      await this.#loadLayout(await OciLayout.unpackArchive(path, folder, this.options.limits));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #loadFolder(path: string, name: string): Promise<void> {
    if (existsSync(join(path, 'oci-layout'))) return this.#loadLayout(new OciLayout(path));
    const id = `sha256:${createHash('sha256').update(path).digest('hex')}`;
    if (this.#images.has(id)) return;
    const names = [fullReference(`localhost/${name}`)];
    this.#keep({ id, names, manifest: '', size: 0, defaults: {}, root: path });
  }

  async #loadLayout(layout: OciLayout): Promise<void> {
    for (const image of await layout.images()) {
      const known = this.#images.get(image.id);
      const names = [...new Set([...(known?.names ?? []), ...image.names.map(fullReference)])];
      if (known) this.#keep({ ...known, names });
      else this.#keep({ ...(await this.#unpack(layout, image)), names });
    }
  }

  async #unpack(layout: OciLayout, image: LayoutImage): Promise<UnpackedImage> {
    const making = join(this.options.folder, `unpacking-${randomUUID()}`);
    mkdirSync(join(making, ROOT), { recursive: true, mode: 0o755 });
    try {
      const root = new LayeredRoot(join(making, ROOT), this.options.limits, process.getuid?.() === 0);
      for (const layer of image.layers) await root.unpack(layout.layer(layer));
      await root.finish();
      const { id, manifest, names } = image;
      const place = this.#place(id);
      renameSync(making, place);
      return { id, names, manifest, size: root.bytes, defaults: image.defaults, root: join(place, ROOT) };
    } catch (error) {
      await rm(making, { recursive: true, force: true });
      throw error;
    }
  }

  /** The record is written last: without it, an image does not exist. */
  #keep(image: UnpackedImage): void {
    const place = this.#place(image.id);
    mkdirSync(place, { recursive: true, mode: 0o711 });
    writeJson(join(place, RECORD), image);
    // A name means the image that was loaded last.
    for (const other of this.#images.values())
      if (other.id !== image.id && other.names.some((name) => image.names.includes(name)))
        this.#images.set(other.id, { ...other, names: other.names.filter((name) => !image.names.includes(name)) });
    this.#images.set(image.id, image);
  }

  #place(id: string): string {
    return join(this.options.folder, id.replace('sha256:', ''));
  }
}

const digestsOf = ({ names, manifest }: UnpackedImage): string[] =>
  manifest === '' ? [] : [...new Set(names.map((name) => `${repositoryOf(name)}@${manifest}`))];

/** Returns an image as runtimes describe it. */
export function describeImage(image: UnpackedImage): StoredImage {
  const { id, names, size, defaults } = image;
  const [user = ''] = (defaults.User ?? '').split(':');
  const numeric = /^\d+$/.test(user);
  const account = user === '' ? {} : numeric ? { uid: Number(user) } : { username: user };
  return { id, repoTags: names, repoDigests: digestsOf(image), size, pinned: false, ...account };
}
