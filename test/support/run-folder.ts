import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Variable with the folder that the global set-up has made for a run of tests. */
export const RUN_FOLDER = 'TEST_RUN_FOLDER';

/** Begin of the names of such folders; the process id of the run follows. */
export const RUN_PREFIX = 'orch-tests-';

const MEMORY = '/dev/shm';
/** Bytes that must be free there: several servers at once, and tests of large databases. */
const ENOUGH = 6 * 2 ** 30;

/**
 * Where folders of runs lie: in memory, where flushing to disk costs nothing and no other load on the disk is waited for. What a test
 * promises holds all the same, as it kills processes and not the machine; the one about power losses brings a disk of its own.
 */
export function parentOfRuns(): string {
  if (!existsSync(MEMORY) || freemem() < ENOUGH) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < ENOUGH ? tmpdir() : MEMORY;
}

/** The folder of this run; undefined outside of one, as for benchmarks. */
export const runFolder = (): string | undefined => process.env[RUN_FOLDER];

/** Makes a folder for servers and their data. Others may pass it, as PostgreSQL runs as another user where the test runs as root. */
export function makeServerFolder(prefix: string): string {
  const dir = mkdtempSync(join(runFolder() ?? tmpdir(), prefix));
  chmodSync(dir, 0o711);
  return dir;
}

/** Takes a folder out of those that are removed with the run, for somebody to look into. @returns where it is now */
export function keepFolder(dir: string): string {
  if (runFolder() === undefined) return dir;
  const kept = mkdtempSync(join(tmpdir(), `${basename(dir)}-`));
  cpSync(dir, kept, { recursive: true, filter: (path) => !statSync(path).isSocket() });
  rmSync(dir, { recursive: true, force: true });
  return kept;
}
