import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { againstReference, type Measurement, type Ratios, table } from './report.js';
import type { Wire } from './samples.js';
import type { StageSettings } from './settings.js';
import { agentColumns } from './stages/agents.js';
import { connectionColumns } from './stages/connections.js';
import { encryptionColumns } from './stages/encryption.js';
import { noiseColumns } from './stages/noise.js';
import { rightsColumns } from './stages/rights.js';
import { schedulerColumns } from './stages/scheduler.js';
import { slowClientColumns } from './stages/slow-clients.js';
import { TABLE_RATIOS, tableColumns } from './stages/table.js';
import { tierRequestColumns } from './stages/tier-requests.js';
import { type TiersSettings, tiersColumns } from './stages/tiers.js';
import { watchNoiseColumns } from './stages/watch-noise.js';
import { STAGES } from './stages.js';
import { ownTargets, peerSettings, peerTarget, type Target } from './target.js';

/** Stages that start servers of their own, each with columns of its own. */
const CLUSTER_STAGES: Readonly<Record<string, ClusterStage>> = {
  agents: { about: 'what a node with 50 pods costs at rest, in turns with kubelet', run: agentColumns },
  connections: {
    about: 'what a MiB through exec, port-forward and logs costs, in turns with the peer',
    run: connectionColumns,
  },
  encryption: { about: 'what it costs to encrypt what is stored, by each provider', run: encryptionColumns },
  noise: { about: 'what fifty polite users notice of one who is not', run: noiseColumns },
  'slow-clients': {
    about: 'the same of 900 who do not send their bodies or read their answers',
    run: slowClientColumns,
  },
  'watch-noise': { about: 'the same of one who starts watches at a gateway', run: watchNoiseColumns },
  rights: { about: 'what it costs to ask who may do what, and to write it down', run: rightsColumns },
  table: {
    about: 'requests, lists and watches, in turns with a bare server and with kube-apiserver',
    run: tableColumns,
    ratios: TABLE_RATIOS,
  },
  scheduler: {
    about: 'pods scheduled on 1,000 and 5,000 nodes, in turns with kube-scheduler',
    run: schedulerColumns,
  },
  tiers: { about: 'from request to event through NATS', run: tiersColumns },
  'tier-requests': { about: 'requests through a load balancer, to one api-server and to two', run: tierRequestColumns },
};
interface ClusterStage {
  readonly about: string;
  readonly run: (settings: TiersSettings) => Promise<ReadonlyMap<string, readonly Measurement[]>>;
  readonly ratios?: Ratios;
}
const USUAL = 'table';
const NAMES = [...STAGES.map(({ name }) => name), ...Object.keys(CLUSTER_STAGES)];

const USAGE = `usage: make bench BENCH="options", or npx tsx test/load/bench.ts [options]

  --only=STAGES    some of those below (default ${USUAL})
  --columns=NAMES  some of plain,TLS,peer (default all), for stages without columns of their own
  --seconds=N      length of each measurement (default 3)
  --watchers=N     of the fan-out (default 1000)
  --rate=N         writes per second of a quiet fan-out (default 20)
  --rounds=N       rounds of table, whose medians are printed (default 3)
  --wire=FORMS     bodies of the writes of table: json, protobuf or both, by a comma (default json)
  --scale=N        share of the sizes of table, many, audiences, lists, writes and growth (default 1)
  --full           the largest sizes too: 15,000 watchers, a million objects, lists of 400 MB
  --json=FILE      writes the numbers there as well

${STAGES.map(({ name, about }) => `  ${name.padEnd(15)}  ${about}`).join('\n')}
${Object.entries(CLUSTER_STAGES)
  .map(([name, { about }]) => `  ${name.padEnd(15)}  ${about}, with columns of its own`)
  .join('\n')}

Beside a peer that runs already, any server of the same API:
  PEER_URL=https://127.0.0.1:6443 PEER_CA=FILE PEER_CERT=FILE PEER_KEY=FILE PEER_TOKEN=… PEER_PIDS=1,2
KUBE_SCHEDULER=FILE  the program that takes turns with orch scheduler
KUBELET=FILE  the program that takes turns with orch node-agent
PEER_STOP=COMMAND PEER_START=COMMAND  end it, and start it with its data and print those ids anew
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    watchers: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '20' },
    only: { type: 'string', default: USUAL },
    columns: { type: 'string', default: 'plain,TLS,peer' },
    rounds: { type: 'string', default: '3' },
    wire: { type: 'string', default: 'json' },
    scale: { type: 'string', default: '1' },
    full: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const stages = values.only.split(',');
const wanted = values.columns.split(',');
const unknown = stages.filter((name) => !NAMES.includes(name));

if (values.help) process.stdout.write(USAGE);
else if (unknown.length > 0) throw new Error(`no such stages: ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
else await main();

async function main(): Promise<void> {
  const columns = new Map<string, readonly Measurement[]>();
  const onTargets = stages.some((name) => !(name in CLUSTER_STAGES));
  // One that cannot be reached is told of before the others are measured.
  const peer = onTargets && wanted.includes('peer') ? peerSettings(process.env) : undefined;
  const peerColumn = peer && (await peerTarget(peer));
  if (onTargets && wanted.some((name) => name !== 'peer')) await measureOwn(columns);
  for (const [stage, { run }] of Object.entries(CLUSTER_STAGES)) {
    if (!stages.includes(stage)) continue;
    await attempt(stage, async () => {
      const found = await run({ ...load(), run: runName() });
      for (const [name, rows] of found) add(columns, name, rows);
    });
  }
  if (peerColumn) add(columns, peerColumn.name, await measure(peerColumn));
  const reference = columns.size > 1 ? [...columns.keys()].find((name) => name.startsWith('peer ')) : undefined;
  const average = loadavg().map((load) => load.toFixed(1));
  process.stdout.write(
    `\n${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, load average ${average.join(', ')}\n`,
  );
  const named = stages.flatMap((name) => CLUSTER_STAGES[name]?.ratios ?? []);
  const ratios = [...againstReference(columns, reference), ...named];
  process.stdout.write(
    'Load is made on the same machine; server CPU counts all its processes, the database included.\n\n',
  );
  process.stdout.write(`${table(columns, ratios)}\n`);
  if (values.json) writeFileSync(values.json, JSON.stringify(Object.fromEntries(columns), null, 2));
}

/** Puts measurements below those that a column has. */
function add(columns: Map<string, readonly Measurement[]>, name: string, rows: readonly Measurement[]): void {
  columns.set(name, [...(columns.get(name) ?? []), ...rows]);
}

async function measureOwn(columns: Map<string, readonly Measurement[]>): Promise<void> {
  const own = await ownTargets('kubernetes');
  try {
    for (const target of own.all) {
      if (wanted.some((name) => target.name.endsWith(name))) columns.set(target.name, await measure(target));
    }
  } finally {
    await own.stop();
  }
}

function load(): Omit<StageSettings, 'target' | 'run'> {
  const { seconds, watchers, rate, rounds, wire, scale, full } = values;
  return {
    seconds: Number(seconds),
    watchers: Number(watchers),
    rate: Number(rate),
    rounds: Number(rounds),
    wires: wire.split(',').map(wireOf),
    scale: Number(scale),
    full,
  };
}

function wireOf(name: string): Wire {
  if (name === 'json' || name === 'protobuf') return name;
  throw new Error(`--wire=${name}: there are json and protobuf`);
}

function runName(): string {
  return `b${Date.now().toString(36)}`;
}

/** Runs the chosen stages. */
async function measure(target: Target): Promise<Measurement[]> {
  const settings: StageSettings = { ...load(), target, run: runName() };
  const results: Measurement[] = [];
  for (const { name, run } of STAGES.filter((stage) => stages.includes(stage.name))) {
    await attempt(`${target.name}: ${name}`, async () => void results.push(...(await run(settings))));
  }
  return results;
}

/** Runs a stage. Its failure does not discard the results of others. */
async function attempt(what: string, run: () => Promise<void>): Promise<void> {
  const start = Date.now();
  try {
    await run();
    process.stderr.write(`${what}: ${Math.round((Date.now() - start) / 1000)} s\n`);
  } catch (error) {
    process.stderr.write(`${what} failed: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
