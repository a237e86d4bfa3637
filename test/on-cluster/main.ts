import { readlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildImages } from './images.js';
import { inRunFolder, installForNodes, runInNamespaces } from './namespaces.js';
import { buildPrograms } from './programs.js';
import { SETTINGS_VARIABLE, type Settings, settingsFile } from './stage.js';

const CONFIG = fileURLToPath(new URL('./vitest.config.ts', import.meta.url));
const VITEST = fileURLToPath(new URL('../../node_modules/.bin/vitest', import.meta.url));

/** Builds everything, then runs the rest in namespaces of its own. */
function main(args: readonly string[]): number {
  installForNodes();
  const programs = buildPrograms();
  return inRunFolder((dir) => {
    const archives = buildImages(dir, process.env.PREVIOUS_TREE);
    const settings: Settings = { dir, programs, archives, outside: readlinkSync('/proc/self/ns/net') };
    writeFileSync(settingsFile(dir), JSON.stringify(settings));
    return runInNamespaces([VITEST, 'run', '--config', CONFIG, 'on-cluster/chart', ...args], {
      [SETTINGS_VARIABLE]: settingsFile(dir),
    });
  });
}

process.exitCode = main(process.argv.slice(2));
