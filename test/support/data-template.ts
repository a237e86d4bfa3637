import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '../../tools/up/index.js';
import { RUN_FOLDER, runFolder } from './run-folder.js';

/** Options that decide what a server writes when it starts on an empty database for the first time. */
const SHAPING = [
  'encryption-provider-config',
  'migrate',
  'postgres-url',
  'runtime-config',
  'service-cluster-ip-range',
  'storage-override',
  'storage-versions',
];

/** Time in which another test file makes what this one waits for: a first compilation takes minutes. */
const MADE_MS = 600_000;

/** Whether a server with these options, and the variables of this process, makes the data that one without any makes. */
export function startsAsUsual(args: readonly string[]): boolean {
  const isSet = (option: string) => `ORCH_${option.replaceAll('-', '_').toUpperCase()}` in process.env;
  return !SHAPING.some((option) => isSet(option) || args.some((arg) => arg.split('=', 1)[0] === `--${option}`));
}

/**
 * Fills a folder with data that `make` has made once in this run: to initialise a database, to migrate it and to write the objects that
 * every installation has costs more than a start on what is there. It pays from the third server on: runs of many files set
 * `TEST_COPIES_DATA`.
 * @returns false where it is not set, and nothing is done
 */
export async function copyTemplate(
  name: string,
  target: string,
  make: (folder: string) => Promise<void>,
): Promise<boolean> {
  if (runFolder() === undefined || !process.env.TEST_COPIES_DATA) return false;
  const template = await makeOnce(`template-${name}`, make);
  await promisify(execFile)('cp', ['-a', '--reflink=auto', `${template}/.`, target]);
  return true;
}

/**
 * Has one of all processes of the run make a folder. Where that fails, the next one that wants it tries.
 * @returns its path
 */
export async function makeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const run = runFolder();
  if (run === undefined) throw new Error(`${RUN_FOLDER} is not set: the global set-up has not run`);
  const made = join(run, name);
  const lock = `${made}.lock`;
  await waitUntil(`${made} is made`, MADE_MS, () => existsSync(made) || tryLock(lock));
  if (existsSync(made)) return made;
  const fresh = `${made}.new`;
  try {
    mkdirSync(fresh);
    chmodSync(fresh, 0o711);
    await make(fresh);
    renameSync(fresh, made);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmdirSync(lock);
  }
  return made;
}

function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
