import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { NamingProfile } from '@orch/machinery';
import { startCluster } from './cluster.js';
import { LOAD_BALANCERS, type LoadBalancerKind } from './load-balancer.js';
import { isAlive, processStat } from './proc.js';
import { waitUntil } from './ready.js';

const USAGE = `usage: npx tsx tools/up/main.ts [up|down|status] [options]

  --dir=DIR            data, logs, certificates (default: orch-up-USER in the system's temporary directory)
  --api-servers=N      (default 2)
  --gateways=N         (default 2)
  --load-balancer=KIND nginx or haproxy (default nginx)
  --naming=PROFILE     kubernetes or orch (default kubernetes)
  --port=N             of the load balancer (default: a free one)
`;
const DEFAULT_DIR = join(tmpdir(), `orch-up-${userInfo().username}`);
const STOP_MS = 30_000;

/** A process of a running cluster; pid and start time together identify it for good. */
interface Recorded {
  readonly name: string;
  readonly pid: number;
  readonly startTicks: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string', default: DEFAULT_DIR },
    'api-servers': { type: 'string', default: '2' },
    gateways: { type: 'string', default: '2' },
    'load-balancer': { type: 'string', default: 'nginx' },
    naming: { type: 'string', default: 'kubernetes' },
    port: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const dir = resolve(values.dir);
const stateFile = join(dir, 'processes.json');
const [command = 'up'] = positionals;

if (values.help) process.stdout.write(USAGE);
else if (command === 'up') await up();
else if (command === 'down') await down();
else if (command === 'status') status();
else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}

async function up(): Promise<void> {
  await down();
  mkdirSync(dir, { recursive: true });
  const cluster = await startCluster({
    dir,
    apiServers: Number(values['api-servers']),
    gateways: Number(values.gateways),
    loadBalancer: balancer(values['load-balancer']),
    naming: profile(values.naming),
    detached: true,
    ...(values.port !== undefined && { port: Number(values.port) }),
  });
  const recorded = cluster.processes.map(({ name, pid }): Recorded => {
    return { name, pid, startTicks: processStat(pid)?.startTicks ?? 0 };
  });
  writeFileSync(stateFile, JSON.stringify(recorded, null, 2));
  status();
  const where = values.dir === DEFAULT_DIR ? '' : ` --dir=${dir}`;
  process.stdout.write(
    `\n${cluster.url}; stop with: npx tsx tools/up/main.ts down${where}\n\nexport KUBECONFIG=${cluster.kubeconfig}\n`,
  );
}

async function down(): Promise<void> {
  const running = recordedProcesses().filter(isSame).reverse();
  for (const { name, pid } of running) {
    process.kill(pid, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
    await waitUntil(`${name} (${pid}) has ended`, STOP_MS, () => !isAlive(pid));
  }
  rmSync(stateFile, { force: true });
}

function status(): void {
  for (const recorded of recordedProcesses()) {
    process.stdout.write(`${recorded.name.padEnd(18)} ${isSame(recorded) ? `pid ${recorded.pid}` : 'ended'}\n`);
  }
}

function recordedProcesses(): Recorded[] {
  return existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as Recorded[]) : [];
}

function isSame({ pid, startTicks }: Recorded): boolean {
  return isAlive(pid) && processStat(pid)?.startTicks === startTicks;
}

function profile(name: string): NamingProfile {
  if (name !== 'kubernetes' && name !== 'orch') throw new Error(`--naming: ${name} is neither kubernetes nor orch`);
  return name;
}

function balancer(name: string): LoadBalancerKind {
  const kind = LOAD_BALANCERS.find((known) => known === name);
  if (kind === undefined) throw new Error(`--load-balancer: ${name} is none of ${LOAD_BALANCERS.join(', ')}`);
  return kind;
}
