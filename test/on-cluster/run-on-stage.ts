import { readlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inRunFolder, installForNodes, runInNamespaces } from './namespaces.js';
import { buildPrograms } from './programs.js';
import { SETTINGS_VARIABLE, type Settings, settingsFile } from './stage.js';

const CONFIG = fileURLToPath(new URL('./vitest.config.ts', import.meta.url));
const VITEST = fileURLToPath(new URL('../../node_modules/.bin/vitest', import.meta.url));

/** A run of tests that share a cluster. */
interface StageRun {
  /** Part of the path of the tests. */
  readonly tests: string;
  /** Packages of the system beside those of a node. Default: none. */
  readonly packages?: readonly string[];
  /** Makes images in a folder; returns the paths of their archives. */
  readonly images: (dir: string) => readonly string[];
}

/** Builds everything, then runs tests in namespaces of their own. Returns the exit code. */
export function runOnStage({ tests, packages = [], images }: StageRun, args: readonly string[]): number {
  installForNodes(...packages);
  const programs = buildPrograms();
  return inRunFolder((dir) => {
    const archives = images(dir);
    const settings: Settings = { dir, programs, archives, outside: readlinkSync('/proc/self/ns/net') };
    writeFileSync(settingsFile(dir), JSON.stringify(settings));
    const command = [VITEST, 'run', '--config', CONFIG, tests, ...args];
    return runInNamespaces(command, { [SETTINGS_VARIABLE]: settingsFile(dir) });
  });
}
