import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, FileWatch, type Logger } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import { ManifestError, type StaticPodReader } from './static-pods.js';

/** Limit of a manifest, bytes. */
export const MAX_MANIFEST_BYTES = 10 * 2 ** 20;

/** Settings of a {@link FileSource}. */
interface FileSourceSettings {
  /** Folder of manifests, or the file of one. It need not exist. */
  readonly path: string;
  /** Interval of reads without a notification of changes, ms. */
  readonly everyMs: number;
  /** Reads manifests. */
  readonly reader: StaticPodReader;
  /** Called with all pods after each read that succeeded. */
  readonly onPods: (pods: readonly Pod[]) => void;
  /** Logs what cannot be read. */
  readonly logger: Logger;
  /** Times the reads. */
  readonly clock: Clock;
}

/** Source of static pods from a folder or file. */
export class FileSource {
  readonly #path: string;
  #watch: FileWatch | undefined;

  constructor(private readonly settings: FileSourceSettings) {
    this.#path = resolve(settings.path);
  }

  /** Reads the pods, and then again with each change. */
  async start(): Promise<void> {
    await this.read();
    const { everyMs, clock } = this.settings;
    this.#watch = new FileWatch({
      // The second one has its folder watched, if the path is one.
      files: [this.#path, join(this.#path, 'manifest')],
      onLook: () => this.read(),
      everyMs,
      clock,
    });
  }

  /** Ends the reads. */
  stop(): void {
    this.#watch?.close();
  }

  /** Reads all manifests. A path that does not exist is an empty source; one that cannot be read changes nothing. */
  async read(): Promise<void> {
    try {
      this.settings.onPods(await this.#pods());
    } catch (error) {
      this.settings.logger.error('static pods cannot be read', error, { path: this.#path });
    }
  }

  async #pods(): Promise<Pod[]> {
    const kind = await kindOf(this.#path);
    if (kind === undefined) return [];
    if (kind === 'file') return [await this.#readFile(this.#path)];
    if (kind === 'other') throw new ManifestError('the path is neither a folder nor a file');
    const names = (await readdir(this.#path)).filter((name) => !name.startsWith('.')).sort();
    const pods: Pod[] = [];
    for (const name of names) {
      const pod = await this.#tryFile(join(this.#path, name));
      if (pod) pods.push(pod);
    }
    return pods;
  }

  /** Reads a file of a folder: a broken one leaves the others alone. */
  async #tryFile(path: string): Promise<Pod | undefined> {
    try {
      const kind = await kindOf(path);
      if (kind === 'file') return await this.#readFile(path);
      if (kind !== undefined) this.settings.logger.warn('a path among manifests is no file', { path });
    } catch (error) {
      this.settings.logger.error('a manifest cannot be used', error, { path });
    }
    return undefined;
  }

  async #readFile(path: string): Promise<Pod> {
    // Without blocking: a file may have become a pipe meanwhile.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      if (size > MAX_MANIFEST_BYTES) throw new ManifestError(`a manifest has at most ${MAX_MANIFEST_BYTES} bytes`);
      const text = Buffer.alloc(size);
      const { bytesRead } = await file.read(text, 0, size, 0);
      return this.settings.reader.read(text.subarray(0, bytesRead), { source: 'file', place: path });
    } finally {
      await file.close();
    }
  }
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const stats = await stat(path);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
