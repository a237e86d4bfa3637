import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chown, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from './identity.js';

/** The lock of a data directory, and those of the sockets in it. */
const LOCKS = /^(postmaster\.pid|\.s\.PGSQL\.\d+\.lock)$/;

/** More than the number of any process, and the largest that a server reads. */
const NOBODY = '2147483647';

/**
 * Has a server start in spite of the locks that one before it left behind. It refuses to where the process that a lock names lives,
 * though that may be anybody's: after a crash its number belongs to another process of the same user, in a container almost for
 * certain. An empty one, of a server that was killed between making and writing it, is refused for ever.
 *
 * Only the owner of the folder calls this, and only where no postmaster runs. A lock stays what it is but for the number, which
 * becomes nobody's: by the other lines a server knows that processes of the one before are still there.
 */
export async function disarmStaleLocks(data: string, identity: Identity): Promise<void> {
  const locks = (await readdir(data)).filter((name) => LOCKS.test(name));
  await Promise.all(locks.map((name) => disarm(join(data, name), identity)));
}

async function disarm(lock: string, identity: Identity): Promise<void> {
  // The folder belongs to a lesser user, who may have made a link of it.
  const text = await readFile(lock, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NOFOLLOW });
  const [first = '', ...others] = text.split('\n');
  if (!/^-?\d+$/.test(first)) return rm(lock, { force: true });
  const fresh = `${lock}.${randomBytes(4).toString('hex')}`;
  await writeFile(fresh, [NOBODY, ...others].join('\n'), { mode: 0o600, flag: 'wx' });
  if (identity.switched) await chown(fresh, identity.uid, identity.gid);
  await rename(fresh, lock);
}
