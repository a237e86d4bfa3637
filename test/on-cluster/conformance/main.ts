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
import { RELEASE } from '../../clients/control-plane/release-module.js';
import { inRunFolder, installForNodes, runInNamespaces } from '../namespaces.js';
import { compared, comparisonTable, failedIn } from './comparison.js';
import { keepCases, keepComparison, keepComponentRun, keepRuns } from './page.js';
import { buildConformancePrograms } from './programs.js';
import { expressionFor } from './reports.js';
import { type RunResult, type RunSummary, summaryOf, tableOf } from './results.js';
import { type InsideSettings, type Order, orderOf, SERVERS, type ServerName } from './settings.js';
import { buildSuiteImages } from './suite-images.js';

const INSIDE = fileURLToPath(new URL('./inside.ts', import.meta.url));
const TSX = fileURLToPath(new URL('../../../node_modules/.bin/tsx', import.meta.url));
/** What images are made of, and what cases need beside what every node does. */
const PACKAGES = ['busybox-static', 'curl', 'wget', 'e2fsprogs', 'bind9-dnsutils', 'netcat-openbsd'];

/** Builds everything, runs the suite against each server that is asked for, prints a table, and keeps whole runs in the documents. */
function main(): number {
  const order = orderOf(process.env);
  installForNodes(...PACKAGES);
  const programs = buildConformancePrograms(order.suite);
  const folder = mkdtempSync(join(tmpdir(), 'orch-conformance-images-'));
  try {
    const images = buildSuiteImages(folder, programs);
    const run: Runner = (server, only) => runOn({ ...order, server, programs, images, only }, order.logs);
    const isWell = order.suite === RELEASE ? runAll(order, run) : runLater(order, run);
    return isWell ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the cases that match on a server; undefined where they could not be run. */
type Runner = (server: ServerName, only: string | undefined) => RunResult | undefined;

/** Runs the suite of the release on each server that is asked for. Returns whether nothing failed. */
function runAll(order: Order, run: Runner): boolean {
  const { servers, only } = order;
  const runs = new Map<ServerName, RunSummary>();
  for (const server of servers) {
    const result = run(server, only);
    if (!result) continue;
    runs.set(server, summaryOf(result));
    if (order.amends && server === 'orch' && order.agent === order.scheduler)
      keepCases(`${order.agent}-${order.cases}`, result.cases);
  }
  console.log(`\n${tableOf([...runs.values()])}`);
  if (only === undefined && !order.amends) keepWhole(order, runs);
  return servers.every((name) => runs.get(name)?.notable.every(({ outcome }) => outcome !== 'failed'));
}

/** Keeps runs without a choice of names: those of conformance with the real components by server, others by components. */
function keepWhole({ agent, scheduler, cases }: Order, runs: ReadonlyMap<ServerName, RunSummary>): void {
  const isReal = agent === 'reference' && scheduler === 'reference';
  const run = runs.get('orch');
  if (isReal && cases === 'conformance') keepRuns(runs);
  else if (run && agent === scheduler) keepComponentRun(`${agent}-${cases}`, run);
}

/** Runs the suite of a later release, and what fails of it on the reference as well. Returns whether the two differ in nothing. */
function runLater({ servers: [server = 'orch'], suite, only }: Order, run: Runner): boolean {
  const result = run(server, only);
  if (!result) return false;
  const failed = failedIn(result);
  const same = failed.map((name) => `^${expressionFor(name)}$`).join('|');
  const there = failed.length === 0 ? { cases: [] } : run('reference', same);
  if (!there) return false;
  const comparison = compared(suite, result, there.cases);
  console.log(`\n${comparisonTable(comparison)}`);
  for (const { name, verdict, reason } of comparison.notable)
    if (verdict === 'different') console.log(`differs: ${name}: ${reason}`);
  if (only === undefined) keepComparison(comparison);
  return comparison.notable.every(({ verdict }) => verdict !== 'different');
}

/** Runs the suite on a cluster of its own; copies its logs where that is asked for. Returns undefined where it could not be run. */
function runOn(
  choice: Omit<InsideSettings, 'dir' | 'outside' | 'result'>,
  logs: string | undefined,
): RunResult | undefined {
  console.log(`\n${SERVERS[choice.server]}`);
  return inRunFolder((dir) => {
    const [file, result] = [join(dir, 'settings.json'), join(dir, 'result.json')];
    const settings: InsideSettings = { ...choice, dir, result, outside: readlinkSync('/proc/self/ns/net') };
    writeFileSync(file, JSON.stringify(settings));
    runInNamespaces([TSX, INSIDE, file], {});
    if (logs !== undefined) copyLogs(dir, join(logs, choice.server));
    return existsSync(result) ? (JSON.parse(readFileSync(result, 'utf8')) as RunResult) : undefined;
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
