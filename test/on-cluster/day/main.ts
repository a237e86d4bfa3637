import { readlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inRunFolder, installForNodes, runInNamespaces } from '../namespaces.js';
import { buildPrograms } from '../programs.js';
import { SETTINGS_VARIABLE, type Settings, settingsFile } from '../stage.js';
import { buildDayImages } from './images.js';
import { buildMetricsServer } from './metrics-server.js';

const CONFIG = fileURLToPath(new URL('../vitest.config.ts', import.meta.url));
const VITEST = fileURLToPath(new URL('../../../node_modules/.bin/vitest', import.meta.url));

/** Builds everything, then has a cluster of two nodes live for a day, in namespaces of its own. */
function main(args: readonly string[]): number {
  installForNodes('busybox-static');
  const programs = buildPrograms();
  buildMetricsServer();
  return inRunFolder((dir) => {
    const archives = buildDayImages(dir);
    const settings: Settings = { dir, programs, archives, outside: readlinkSync('/proc/self/ns/net') };
    writeFileSync(settingsFile(dir), JSON.stringify(settings));
    const command = [VITEST, 'run', '--config', CONFIG, 'on-cluster/day', ...args];
    return runInNamespaces(command, { [SETTINGS_VARIABLE]: settingsFile(dir) });
  });
}

process.exitCode = main(process.argv.slice(2));
