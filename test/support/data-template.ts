import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '../../tools/up/index.js';
import { runFolder } from './run-folder.js';

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

/** Time in which another test file makes what this one waits for. */
const MADE_MS = 120_000;

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
  const folder = runFolder();
  if (folder === undefined || !process.env.TEST_COPIES_DATA) return false;
  const template = join(folder, `template-${name}`);
  await madeOnce(template, make);
  await promisify(execFile)('cp', ['-a', '--reflink=auto', `${template}/.`, target]);
  return true;
}

/** Has one of all processes of the run make it. Where that fails, the next one that wants it tries. */
async function madeOnce(template: string, make: (folder: string) => Promise<void>): Promise<void> {
  const lock = `${template}.lock`;
  await waitUntil(`${template} is made`, MADE_MS, () => existsSync(template) || tryLock(lock));
  if (existsSync(template)) return;
  const fresh = `${template}.new`;
  try {
    mkdirSync(fresh);
    chmodSync(fresh, 0o711);
    await make(fresh);
    renameSync(fresh, template);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmdirSync(lock);
  }
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
