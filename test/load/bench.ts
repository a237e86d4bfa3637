import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Measurement, table } from './report.js';
import { listStage, requestStages, type StageSettings } from './request-stages.js';
import { ownTargets, peerSettings, peerTarget, type Target } from './target.js';
import { fanOutStages, herdStage, idleStage } from './watch-stages.js';

const USAGE = `usage: make bench, or npx tsx test/load/bench.ts [options]

  --seconds=N      length of each measurement (default 3)
  --watchers=N     of the fan-out (default 1000)
  --only=STAGES    some of idle,requests,list,fan-out,herd (default all)
  --without-own    only the peer
  --json=FILE      writes the numbers there as well

Beside a peer that runs already, any server of the same API:
  PEER_URL=https://127.0.0.1:6443 PEER_CA=FILE PEER_CERT=FILE PEER_KEY=FILE PEER_TOKEN=… PEER_PIDS=1,2
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    watchers: { type: 'string', default: '1000' },
    only: { type: 'string', default: 'idle,requests,list,fan-out,herd' },
    'without-own': { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const stages = values.only.split(',');

if (values.help) process.stdout.write(USAGE);
else await main();

async function main(): Promise<void> {
  const peer = peerSettings(process.env);
  const columns = new Map<string, readonly Measurement[]>();
  if (!values['without-own']) {
    const own = await ownTargets('kubernetes');
    try {
      for (const target of own.all) columns.set(target.name, await measure(target));
    } finally {
      await own.stop();
    }
  }
  const peerColumn = peer && (await peerTarget(peer));
  if (peerColumn) columns.set(peerColumn.name, await measure(peerColumn));
  const reference = columns.size > 1 ? peerColumn?.name : undefined;
  process.stdout.write(`\n${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}\n`);
  process.stdout.write(
    'Load is made on the same machine; server CPU counts all its processes, the database included.\n\n',
  );
  process.stdout.write(`${table(columns, reference)}\n`);
  if (values.json) writeFileSync(values.json, JSON.stringify(Object.fromEntries(columns), null, 2));
}

/** Runs the chosen stages, the one that reads memory first. */
async function measure(target: Target): Promise<Measurement[]> {
  const settings: StageSettings = { target, run: `b${Date.now().toString(36)}`, seconds: Number(values.seconds) };
  const results: Measurement[] = [];
  const stage = async (name: string, run: () => Promise<Measurement[]>) => {
    if (!stages.includes(name)) return;
    process.stderr.write(`${target.name}: ${name}\n`);
    try {
      results.push(...(await run()));
    } catch (error) {
      // What a server cannot do must not cost the numbers of what it can.
      process.stderr.write(`${target.name}: ${name} failed: ${error instanceof Error ? error.message : error}\n`);
      process.exitCode = 1;
    }
  };
  const watching = { ...settings, watchers: Number(values.watchers) };
  await stage('idle', () => idleStage(watching));
  await stage('requests', () => requestStages(settings));
  await stage('list', () => listStage(settings));
  await stage('fan-out', () => fanOutStages(watching));
  await stage('herd', () => herdStage(settings));
  return results;
}
