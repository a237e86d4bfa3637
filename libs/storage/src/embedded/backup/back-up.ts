import { constants } from 'node:fs';
import { access, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { findEmbeddedPostgres } from '../find-embedded.js';
import { type BaseBackup, openBaseBackup } from './base-backup.js';
import { DATA, MANIFEST, PASSWORD } from './names.js';
import { END_OF_TAR, paddingOf, readTar, type TarHeader, tarHeader } from './tar.js';

/** Progress callback: bytes done so far, and an estimate of the bytes in all. */
export type BackupProgress = (done: number, total: number) => void;

/** Settings of a backup: the cluster to copy, and the file to write. */
export interface BackupSettings {
  /** Folder of a cluster whose server is running. */
  readonly dataDir: string;
  /** File to create; an existing one is not replaced. */
  readonly file: string;
  /** Called with the bytes of the archive. */
  readonly onProgress?: BackupProgress;
  /** Aborts the backup; the file is removed. */
  readonly signal?: AbortSignal;
}

/** Takes little processor time; the next level takes twice as long for a tenth less. */
const LEVEL = 1;

/**
 * Copies a cluster into a file while its server runs: a tar file, compressed with gzip, of the files in the cluster's
 * folder. It is readable by its owner only, and gets its final name when it is complete.
 * @throws Error when no server runs on the folder, or when the file exists or cannot be written
 */
export async function backUpEmbedded({ dataDir, file, onProgress = () => {}, signal }: BackupSettings): Promise<void> {
  await refuseExisting(file);
  const url = await findEmbeddedPostgres(dataDir);
  const password = await readFile(join(await realpath(dataDir), PASSWORD));
  const partial = `${file}.partial`;
  const output = await openNew(partial);
  try {
    const backup = await openBaseBackup(url, signal);
    try {
      const packed = Readable.from(pack(backup, password, onProgress), { objectMode: false });
      await pipeline(packed, createGzip({ level: LEVEL }), output.createWriteStream({ flush: true }), { signal });
    } finally {
      await backup.close();
    }
    await rename(partial, file);
    await flushFolder(dirname(file));
  } catch (error) {
    await output.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

const openNew = (partial: string) =>
  open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`${partial} already exists: another backup is running, or one was killed; in that case, remove it`);
  });

async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file, constants.F_OK).then(
    () => true,
    () => false,
  );
  if (exists) throw new Error(`${file} is there already`);
}

async function* pack(
  backup: BaseBackup,
  password: Buffer,
  onProgress: BackupProgress,
): AsyncGenerator<Buffer, void, undefined> {
  const modified = Math.floor(Date.now() / 1000);
  const whole = (name: string, content: Buffer) =>
    packFile({ name, kind: 'file', mode: 0o600, size: content.length, modified }, content);
  yield whole(PASSWORD, password);
  yield tarHeader({ name: DATA, kind: 'directory', mode: 0o700, size: 0, modified });
  let done = 0;
  for await (const { content, ...header } of readTar(backup.archive())) {
    yield tarHeader({ ...header, name: `${DATA}/${header.name}` });
    for await (const part of content) {
      yield part;
      done += part.length;
      onProgress(done, Math.max(done, backup.estimate));
    }
    yield paddingOf(header.size);
  }
  yield whole(`${DATA}/${MANIFEST}`, await backup.manifest());
  yield END_OF_TAR;
}

const packFile = (header: TarHeader, content: Buffer): Buffer =>
  Buffer.concat([tarHeader(header), content, paddingOf(header.size)]);

/** Makes a file's new name survive a loss of power. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
