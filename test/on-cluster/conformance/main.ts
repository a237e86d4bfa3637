import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inRunFolder, installForNodes, runInNamespaces } from '../namespaces.js';
import { keepResults, writePage } from './page.js';
import { buildConformancePrograms } from './programs.js';
import { type RunResult, type RunSummary, summaryOf, tableOf } from './results.js';
import { type InsideSettings, orderOf, SERVERS, type ServerName } from './settings.js';
import { buildSuiteImages } from './suite-images.js';

const INSIDE = fileURLToPath(new URL('./inside.ts', import.meta.url));
const TSX = fileURLToPath(new URL('../../../node_modules/.bin/tsx', import.meta.url));
/** What images are made of, and what cases need beside what every node does. */
const PACKAGES = ['busybox-static', 'curl', 'bind9-dnsutils', 'netcat-openbsd'];

/** Builds everything, runs the suite against each server that is asked for, prints a table, and keeps whole runs in the documents. */
function main(): number {
  const { servers, logs, ...choice } = orderOf(process.env);
  installForNodes(...PACKAGES);
  const programs = buildConformancePrograms();
  const folder = mkdtempSync(join(tmpdir(), 'orch-conformance-images-'));
  try {
    const images = buildSuiteImages(folder, programs);
    const runs = new Map<ServerName, RunSummary>();
    for (const server of servers) {
      const run = runOn({ server, programs, images, ...choice }, logs);
      if (run) runs.set(server, run);
    }
    console.log(`\n${tableOf([...runs.values()])}`);
    if (choice.only === undefined) writePage(keepResults(runs));
    const isWell = servers.every((name) => runs.get(name)?.notable.every(({ outcome }) => outcome !== 'failed'));
    return isWell ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the suite on a cluster of its own; copies its logs where that is asked for. Returns undefined where it could not be run. */
function runOn(
  choice: Omit<InsideSettings, 'dir' | 'outside' | 'result'>,
  logs: string | undefined,
): RunSummary | undefined {
  console.log(`\n${SERVERS[choice.server]}`);
  return inRunFolder((dir) => {
    const [file, result] = [join(dir, 'settings.json'), join(dir, 'result.json')];
    const settings: InsideSettings = { ...choice, dir, result, outside: readlinkSync('/proc/self/ns/net') };
    writeFileSync(file, JSON.stringify(settings));
    runInNamespaces([TSX, INSIDE, file], {});
    if (logs !== undefined) copyLogs(dir, join(logs, choice.server));
    return existsSync(result) ? summaryOf(JSON.parse(readFileSync(result, 'utf8')) as RunResult) : undefined;
  });
}

/** Copies logs of programs and reports of the suite. */
function copyLogs(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' }))
    if (/^(?:(?:node-1|backends|nginx)\/)?[\w.-]+\.log$|^suite\/[^/]+\/(?:log|report\.json)$/.test(name))
      cpSync(join(from, name), join(to, name));
}

process.exitCode = main();
