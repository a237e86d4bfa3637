import { createHash } from 'node:crypto';
import { lstat, readlink, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `sun_path` holds 104 bytes on some systems; up to "/data/.s.PGSQL.5432" comes behind a folder. */
const LONGEST_FOLDER = 80;

/**
 * Returns a path by which sockets in a folder can be reached: the folder's own, or a link in the temporary directory
 * where its path is too long for a socket address.
 * @throws Error when the link's name is taken by something else
 */
export async function shortPath(folder: string): Promise<string> {
  if (Buffer.byteLength(folder) <= LONGEST_FOLDER) return folder;
  const link = join(tmpdir(), `orch-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
  await symlink(folder, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(link);
  const ours = found.isSymbolicLink() && found.uid === process.getuid?.() && (await readlink(link)) === folder;
  if (!ours) throw new Error(`${link} belongs to another user`);
  return link;
}
