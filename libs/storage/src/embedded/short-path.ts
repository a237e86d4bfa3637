import { createHash } from 'node:crypto';
import { lstat, readlink, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `sun_path` holds 104 bytes on some systems; up to "/data/.s.PGSQL.5432" comes behind a folder. */
const LONGEST_FOLDER = 80;

/**
 * A path of a folder by which its sockets can be reached: itself, or a link in the folder of temporary files where it is
 * too long for the address of a socket.
 * @throws Error when somebody else made something of the link's name
 */
export async function shortPath(folder: string): Promise<string> {
  if (Buffer.byteLength(folder) <= LONGEST_FOLDER) return folder;
  const link = join(tmpdir(), `orch-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
  await symlink(folder, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(link);
  const ours = found.isSymbolicLink() && found.uid === process.getuid?.() && (await readlink(link)) === folder;
  if (!ours) throw new Error(`${link} belongs to somebody else`);
  return link;
}
