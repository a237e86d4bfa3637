import { constants, createReadStream } from 'node:fs';
import { access, chown, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createGunzip } from 'node:zlib';
import { type ClaimedFolder, claimFolder } from '../claim-folder.js';
import { startServer } from '../launch.js';
import { type BackupProgress, flushFolder } from './back-up.js';
import { DATA } from './names.js';
import { unpack } from './unpack.js';

/** Settings of a restore: the file to read, and the folder to create. */
export interface RestoreSettings {
  /** Folder to create the cluster in; it must be empty, or not exist. */
  readonly dataDir: string;
  /** A file that {@link backUpEmbedded} has written. */
  readonly file: string;
  /** Called with the bytes of the file. */
  readonly onProgress?: BackupProgress;
  /** Aborts; the folder is removed. */
  readonly signal?: AbortSignal;
}

/**
 * Settings that make the copy a history of its own: PostgreSQL replays the log beside it, asks for more in vain, and
 * continues in a new timeline, which the original does not have. No session is accepted before that.
 */
const RECOVERY = { restore_command: 'false', hot_standby: 'off' };

/**
 * Makes the folder of a cluster from a backup, and has its server recover and shut down cleanly, so that it is known to
 * work. All of this happens in a folder beside it, which is renamed when complete: after a failure nothing is left.
 * @throws Error when the folder is not empty, or when the file is damaged or of another version of PostgreSQL
 */
export async function restoreEmbedded({
  dataDir,
  file,
  onProgress = () => {},
  signal,
}: RestoreSettings): Promise<void> {
  const target = resolve(dataDir);
  await refuseFilled(target);
  await access(file, constants.R_OK);
  const { size } = await stat(file);
  const folder = await claimFolder({ dataDir: `${target}.restoring` });
  try {
    await clear(folder);
    await unpackFile(file, folder, (done) => onProgress(done, size), signal);
    signal?.throwIfAborted();
    await recover(folder);
    signal?.throwIfAborted();
    await putInPlace(folder, target);
  } catch (error) {
    await rm(folder.root, { recursive: true, force: true });
    throw error;
  } finally {
    folder.release();
  }
}

/** Rename replaces an empty folder, and no other. */
async function putInPlace({ root }: ClaimedFolder, target: string): Promise<void> {
  await rename(root, target).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOTEMPTY' || error.code === 'EEXIST' ? new Error(notEmpty(target)) : error;
  });
  await flushFolder(dirname(target));
}

const notEmpty = (target: string): string => `${target} is not empty: name another folder, or move away what is there`;

async function recover(folder: ClaimedFolder): Promise<void> {
  const signal = join(folder.root, DATA, 'recovery.signal');
  await writeFile(signal, '', { mode: 0o600 });
  const { switched, uid, gid } = folder.identity;
  if (switched) await chown(signal, uid, gid);
  const server = await startServer({ dataDir: folder.root, settings: RECOVERY }, folder);
  await server.stop();
}

async function refuseFilled(target: string): Promise<void> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length > 0) throw new Error(notEmpty(target));
}

/** Removes the rest of a restore that was killed. */
async function clear({ root }: ClaimedFolder): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith('lock.')) await rm(join(root, name), { recursive: true, force: true });
  }
}

async function unpackFile(
  file: string,
  folder: ClaimedFolder,
  onBytes: (done: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const compressed = createReadStream(file);
  const plain = createGunzip({ chunkSize: 256 << 10 });
  compressed.on('error', (error) => plain.destroy(error)).pipe(plain);
  const breakOff = () => plain.destroy(signal?.reason);
  signal?.addEventListener('abort', breakOff, { once: true });
  try {
    await unpack(plain, folder, () => onBytes(compressed.bytesRead));
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${file} is not a complete backup: ${(error as Error).message}`, { cause: error });
  } finally {
    signal?.removeEventListener('abort', breakOff);
    compressed.destroy();
    plain.destroy();
  }
}
