import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';

/** The operating system's user that the server runs as. */
export interface OsUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** Whether that is another user than this process's. */
  readonly switched: boolean;
  readonly spawnAs: { readonly uid?: number; readonly gid?: number };
}

/**
 * Returns the user to run the server as: the current user, or an unprivileged one, as PostgreSQL refuses to run as
 * root.
 * @throws Error when the user asked for does not exist
 */
export async function findIdentity(runAs: string | undefined): Promise<OsUser> {
  const self = userInfo();
  if (self.uid !== 0) return { name: self.username, uid: self.uid, gid: self.gid, switched: false, spawnAs: {} };
  for (const name of runAs === undefined ? ['postgres', 'nobody'] : [runAs]) {
    const ids = await lookUp(name);
    if (ids) return { name, ...ids, switched: true, spawnAs: ids };
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user ${runAs ?? 'postgres or nobody'}`);
}

async function lookUp(name: string): Promise<{ uid: number; gid: number } | undefined> {
  const id = promisify(execFile);
  try {
    const [user, group] = await Promise.all([id('id', ['-u', name]), id('id', ['-g', name])]);
    return { uid: Number(user.stdout), gid: Number(group.stdout) };
  } catch {
    return undefined;
  }
}

/**
 * How to name a folder to a program that runs as `identity`, which owns the folder and works in it. That user may be
 * unable to reach it by its path, as below /root; a working directory needs no path. The program resolves "." to the
 * path again, so the kernel's name for it is used.
 */
export function ownFolder(directory: string, identity: OsUser): { readonly cwd: string; readonly name: string } {
  const byName = identity.switched && process.platform === 'linux';
  return { cwd: directory, name: byName ? '/proc/self/cwd' : directory };
}
