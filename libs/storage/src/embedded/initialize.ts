import { type ChildProcess, spawn } from 'node:child_process';
import { chown, type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import type { Binaries } from './binaries.js';
import { type OsUser, ownFolder } from './identity.js';
import { endOrphans } from './orphans.js';

/**
 * Creates a cluster in `data`, which does not exist yet.
 * @param ending aborts it
 * @throws Error with the output of `initdb`, or when it was aborted
 */
export async function initialize(
  binaries: Binaries,
  identity: OsUser,
  data: string,
  superuser: { readonly name: string; readonly password: string },
  ending?: AbortSignal,
): Promise<void> {
  // An attempt that was killed has left a directory without a usable cluster. PG_VERSION is written early, so a
  // directory of another name is filled first and renamed when it is complete.
  const fresh = `${data}.new`;
  await endOrphans(fresh);
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  if (identity.switched) await chown(fresh, identity.uid, identity.gid);
  const password = await passwordInput(`${fresh}.password`, superuser.password, identity);
  try {
    const said = await runInitdb({ binaries, identity, directory: fresh, superuser: superuser.name, password, ending });
    if (said !== undefined) throw new Error(`initdb failed as user ${identity.name} in ${data}: ${said}`);
  } finally {
    await password.close();
  }
  await rename(fresh, data);
}

/** A file without a name: `initdb` opens its standard input by name, which for a pipe is not possible. */
async function passwordInput(file: string, password: string, identity: OsUser): Promise<FileHandle> {
  await rm(file, { force: true });
  await writeFile(file, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (identity.switched) await chown(file, identity.uid, identity.gid);
  const input = await open(file, 'r');
  await rm(file);
  return input;
}

interface Initdb {
  readonly binaries: Binaries;
  readonly identity: OsUser;
  readonly directory: string;
  readonly superuser: string;
  readonly password: FileHandle;
  readonly ending: AbortSignal | undefined;
}

/** Runs `initdb`; resolves with undefined on success, else with its output. */
async function runInitdb({
  binaries,
  identity,
  directory,
  superuser,
  password,
  ending,
}: Initdb): Promise<string | undefined> {
  const { cwd, name } = ownFolder(directory, identity);
  const args = ['-D', name, '-U', superuser, '--auth=scram-sha-256', '--pwfile=/dev/stdin'];
  const child = spawn(binaries.initdb, [...args, '-E', 'UTF8', '--locale=C', '--wal-segsize=16'], {
    cwd,
    env: binaries.environment,
    // Its own process group: an interrupt from the terminal is for this process to handle, and its children are killed
    // with it.
    detached: true,
    stdio: [password.fd, 'ignore', 'pipe'],
    ...identity.spawnAs,
  });
  const end = () => endGroup(child);
  if (ending?.aborted) end();
  ending?.addEventListener('abort', end);
  const complaints = collect(child);
  const code = await new Promise<number | null>((done, fail) => {
    child.once('error', (error) =>
      fail(new Error(`cannot run ${binaries.initdb}: ${error.message}`, { cause: error })),
    );
    child.once('close', done);
  }).finally(() => ending?.removeEventListener('abort', end));
  if (ending?.aborted) return 'it was broken off';
  return code === 0 ? undefined : `${complaints()} (${code})`;
}

/** Kills `initdb` and its children at once: its result is thrown away. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Keeps the end of a child's standard error. */
function collect(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-2000);
  });
  return () => tail.trim();
}
