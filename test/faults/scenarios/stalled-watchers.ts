import { Crowd, type Member } from '../stage/crowd.js';
import { latencies } from '../stage/probe.js';
import { scrape } from '../stage/scrape.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
/** Memory that a stalled watcher may cost the gateway, bytes. */
const BYTES_EACH = 64 << 10;
/** Much smaller than that, so that the last event taken does not decide. */
const EVENT_BYTES = 8 << 10;
/** Sent when all stand still already: a server that goes on buffering shows it by then. */
const FURTHER_BYTES = 1 << 20;
/** More than the kernel buffers for a connection, less than a ring holds (64 MiB): who wakes finds everything there. */
const BULK_BYTES = 48 << 20;
/** Writes between looks at the metrics. */
const LOOK_EVERY = 32;
const PULSE_MS = 20;
/** Tolerance for a p99 on a quiet machine, ms. */
const NOISE_MS = 10;
/** A busy one adds more, but not each time; what watchers that stand still do to others, they do each time. */
const ROUNDS = 3;

const about = {
  name: 'stalled-watchers',
  fault: '50 watchers stop reading beside 950 that read',
  pass: 'p99 of the others moves by less than 10 %, none is closed; less than 64 KiB for each that stands still; those that wake get everything',
};

export const stalledWatchers = stalling(about);

/** The negative control: what waits for a client has no bound that counts. */
export const stalledUnbounded = controlled(
  stalling(
    {
      name: 'stalled-unbounded',
      fault: 'the same with a gateway that buffers without a bound: the negative control',
      pass: 'V8 says so',
    },
    ['--watch-buffer-bytes=1Gi'],
  ),
  'V8.memory',
);

function stalling(what: Omit<Scenario, 'run'>, serverArgs: readonly string[] = []): Scenario {
  return staged(what, { apiServers: 1, gateways: 1, serverArgs }, async (stage, settings) => {
    const crowd = new Crowd(stage, gatewayOf(stage));
    await write(stage, 'pulse', { sent: '0' });
    await write(stage, 'bulk', {});
    const pulse = `${PATH}?watch=1&fieldSelector=metadata.name%3Dpulse&timeoutSeconds=3600`;
    const healthy = await crowd.gather(scaled(settings, 950, 95), pulse);
    await pulsed(stage, settings, healthy);
    const stalled = await crowd.gather(scaled(settings, 50, 5), `${PATH}?watch=1&timeoutSeconds=3600`);
    const p99s: P99s[] = [];
    do p99s.push(await oneRound(stage, settings, healthy, stalled));
    while (p99s.length < ROUNDS && !isSteady(p99s) && stage.violations.length === 0);
    stage.must('R.latency', isSteady(p99s), `p99 of the others, ms: ${JSON.stringify(p99s)}`);
    stage.must('R.stream', !healthy.some(({ ended }) => ended), 'a healthy watcher was closed');
    for (const member of [...healthy, ...stalled]) member.close();
    crowd.close();
  });
}

/** Milliseconds that events take to those who read: before others stop, and while they stand still. */
interface P99s {
  readonly before: number;
  readonly during: number;
}

const isSteady = (rounds: readonly P99s[]): boolean =>
  Math.min(...rounds.map(({ during }) => during)) <= Math.max(...rounds.map(({ before }) => before)) * 1.1 + NOISE_MS;

/** Some stop reading and wake again. */
async function oneRound(
  stage: Stage,
  settings: ScenarioSettings,
  healthy: readonly Member[],
  stalled: readonly Member[],
): Promise<P99s> {
  const before = await pulsed(stage, settings, healthy);
  for (const member of stalled) member.stall();
  const { versions, highest } = await bulk(stage, stalled.length);
  const during = await pulsed(stage, settings, healthy);
  stage.measure('p99 of events before', before.p99);
  stage.measure('p99 of events during', during.p99);
  stage.measure('KiB that wait for each that stands still', highest / stalled.length / 1024);
  const allowed = stalled.length * BYTES_EACH;
  stage.must('V8.memory', highest < allowed, `${highest} bytes wait for ${stalled.length} that stand still`);
  stage.must('R.recovery', highest > 0, 'nothing has waited: the measure is blind');
  await expectEverything(stage, stalled, versions);
  return { before: before.p99, during: during.p99 };
}

const gatewayOf = ({ cluster }: Stage): string => cluster.gatewayUrls[0] ?? '';

async function write(stage: Stage, name: string, data: Readonly<Record<string, string>>): Promise<string> {
  const [url] = stage.cluster.apiServerUrls;
  const api = stage.api(url);
  const made = await api.patch(`${PATH}/${name}`, 'merge', { data });
  const answer = made.status === 404 ? await api.post(PATH, { metadata: { name }, data }) : made;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json().metadata.resourceVersion;
}

/** Latency of pulses that are sent now. Every one must come to everybody. */
async function pulsed(stage: Stage, settings: ScenarioSettings, members: readonly Member[]) {
  const count = scaled(settings, 300, 100);
  const from = members.map((member) => member.latencies.length);
  for (let i = 0; i < count; i++) {
    await write(stage, 'pulse', { sent: String(performance.now()) });
    await rest(PULSE_MS, stage.signal);
  }
  const all = () => members.every((member, i) => member.ended || member.latencies.length >= (from[i] ?? 0) + count);
  await stage.recovers('every pulse has come to the others', 30_000, all);
  return latencies(members.flatMap((member, i) => member.latencies.slice(from[i])));
}

/** Events until everybody who does not read stands still, and more; their versions, and the most bytes that waited. */
async function bulk(stage: Stage, stalled: number): Promise<{ versions: string[]; highest: number }> {
  const versions: string[] = [];
  let highest = 0;
  let standing: number | undefined;
  for (let sent = 0; sent < BULK_BYTES; sent += EVENT_BYTES) {
    versions.push(await write(stage, 'bulk', { text: String(sent).padEnd(EVENT_BYTES, 'x') }));
    if (versions.length % LOOK_EVERY > 0) continue;
    const metrics = await scrape(stage, gatewayOf(stage));
    highest = Math.max(highest, metrics.sum('orch_watch_waiting_bytes'));
    if (metrics.sum('orch_watch_cache_behind', 'resource="configmaps"') >= stalled) standing ??= sent;
    const enough = standing !== undefined && sent - standing >= FURTHER_BYTES;
    if (enough || highest > 4 * stalled * BYTES_EACH) break;
  }
  const caught = highest >= stalled * BYTES_EACH;
  stage.must('R.recovery', standing !== undefined || caught, 'those who do not read never stood still');
  return { versions, highest };
}

async function expectEverything(stage: Stage, stalled: readonly Member[], versions: readonly string[]): Promise<void> {
  for (const member of stalled) member.wake();
  const last = BigInt(versions.at(-1) ?? 0);
  const all = () => stalled.every(({ ended, versions: had }) => ended || BigInt(had.at(-1) ?? 0) >= last);
  await stage.recovers('those that wake have everything', 60_000, all);
  for (const member of stalled) {
    const had = new Set(member.versions);
    const missing = versions.filter((version) => !had.has(version));
    stage.must('V2.missing', missing.length === 0, `${missing.length} of ${versions.length} events never came`);
    const ordered = member.versions.every(
      (version, i) => i === 0 || BigInt(version) > BigInt(member.versions[i - 1] ?? 0),
    );
    stage.must('V2.order', ordered, 'events out of order or twice');
  }
}
