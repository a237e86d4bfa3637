import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OsUser } from './identity.js';

/** The lock of a data directory, and those of the sockets in it. */
const LOCKS = /^(postmaster\.pid|\.s\.PGSQL\.\d+\.lock)$/;

/** More than any pid, and the largest number that a server reads. */
const NOBODY = '2147483647';

/**
 * Makes stale lock files of a previous server harmless, so that a server can start. PostgreSQL refuses to start where
 * the pid in a lock is alive, though it may be reused: after a crash it belongs to another process of the same user, in
 * a container almost for certain. It always refuses an empty lock, of a server that was killed between creating and
 * writing it.
 *
 * Only the holder of the folder's lock calls this, and only when no postmaster runs. A lock keeps everything but its
 * pid, which is replaced by one that no process has: from the other lines a server detects that processes of the
 * previous one are still there.
 */
export async function disarmStaleLocks(data: string, identity: OsUser): Promise<void> {
  const locks = (await readdir(data)).filter((name) => LOCKS.test(name));
  await Promise.all(locks.map((name) => disarm(join(data, name), identity)));
}

async function disarm(lock: string, identity: OsUser): Promise<void> {
  const [first = '', ...others] = (await readLock(lock)).split('\n');
  if (!/^-?\d+$/.test(first)) return rm(lock, { force: true });
  const fresh = `${lock}.${randomBytes(4).toString('hex')}`;
  const file = await open(fresh, 'wx', 0o600);
  try {
    await file.writeFile([NOBODY, ...others].join('\n'));
    // The open file, not whatever has its name by now.
    if (identity.switched) await file.chown(identity.uid, identity.gid);
  } finally {
    await file.close();
  }
  await rename(fresh, lock);
}

/** Reads a lock. The folder's owner is unprivileged, and may have put a link or an endless file there. */
async function readLock(lock: string): Promise<string> {
  const file = await open(lock, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${lock} is not a file`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
