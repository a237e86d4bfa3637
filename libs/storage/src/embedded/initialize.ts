import { type ChildProcess, spawn } from 'node:child_process';
import { chown, type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import type { Binaries } from './binaries.js';
import { type Identity, ownFolder } from './identity.js';

/**
 * Makes a cluster in `data`, which does not exist yet.
 * @throws Error with what `initdb` said
 */
export async function initialize(
  binaries: Binaries,
  identity: Identity,
  data: string,
  superuser: { readonly name: string; readonly password: string },
): Promise<void> {
  // Killed halfway, the last attempt left a directory without a usable cluster. PG_VERSION is written early, so a
  // directory of another name is filled first and renamed when it is whole.
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  if (identity.switched) await chown(fresh, identity.uid, identity.gid);
  const password = await passwordInput(`${fresh}.password`, superuser.password, identity);
  try {
    const said = await runInitdb(binaries, identity, fresh, superuser.name, password);
    if (said !== undefined) throw new Error(`initdb failed as user ${identity.name} in ${data}: ${said}`);
  } finally {
    await password.close();
  }
  await rename(fresh, data);
}

/** A file without a name: `initdb` opens its standard input by name, which for a pipe is not possible. */
async function passwordInput(file: string, password: string, identity: Identity): Promise<FileHandle> {
  await rm(file, { force: true });
  await writeFile(file, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (identity.switched) await chown(file, identity.uid, identity.gid);
  const input = await open(file, 'r');
  await rm(file);
  return input;
}

/** Undefined when it went well, else what it said. */
async function runInitdb(
  binaries: Binaries,
  identity: Identity,
  directory: string,
  superuser: string,
  password: FileHandle,
): Promise<string | undefined> {
  const { cwd, name } = ownFolder(directory, identity);
  const args = ['-D', name, '-U', superuser, '--auth=scram-sha-256', '--pwfile=/dev/stdin'];
  const child = spawn(binaries.initdb, [...args, '-E', 'UTF8', '--locale=C', '--wal-segsize=16'], {
    cwd,
    env: binaries.environment,
    stdio: [password.fd, 'ignore', 'pipe'],
    ...identity.spawnAs,
  });
  const complaints = collect(child);
  const code = await new Promise<number | null>((done, fail) => {
    child.once('error', (error) =>
      fail(new Error(`cannot run ${binaries.initdb}: ${error.message}`, { cause: error })),
    );
    child.once('close', done);
  });
  return code === 0 ? undefined : `${complaints()} (${code})`;
}

/** Keeps the end of what a child says on its standard error. */
function collect(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-2000);
  });
  return () => tail.trim();
}
