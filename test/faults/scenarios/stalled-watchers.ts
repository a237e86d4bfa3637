import { readFileSync } from 'node:fs';
import { Crowd, type Member } from '../stage/crowd.js';
import { latencies } from '../stage/probe.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
/** Together less than what a ring holds (64 MiB), more than what the kernel buffers for one connection. */
const BULK_BYTES = 256 << 10;
const BULK_EVENTS = 120;
const PULSE_MS = 20;
const PULSES = 300;
/** What a busy machine adds to a p99 by itself. */
const NOISE_MS = 10;
/** What the process takes for reasons of its own meanwhile: its ring grows by the bulk, and garbage comes and goes. */
const NOISE_BYTES = 2 * BULK_EVENTS * BULK_BYTES;
const BYTES_EACH = 64 << 10;

export const stalledWatchers = staged(
  {
    name: 'stalled-watchers',
    fault: '50 watchers stop reading beside 950 that read',
    pass: 'p99 of the others moves by less than 10 %, none is closed; less than 64 KiB for each that stands still; those that wake get everything',
  },
  { apiServers: 1, gateways: 1 },
  async (stage, settings) => {
    const [url = ''] = stage.cluster.gatewayUrls;
    const crowd = new Crowd(stage, url);
    await write(stage, 'pulse', { sent: '0' });
    await write(stage, 'bulk', {});
    const pulse = `${PATH}?watch=1&fieldSelector=metadata.name%3Dpulse&timeoutSeconds=3600`;
    const healthy = await crowd.gather(scaled(settings, 950, 95), pulse);
    await pulses(stage);
    const before = await pulsed(stage, healthy);

    const stalled = await crowd.gather(scaled(settings, 50, 5), `${PATH}?watch=1&timeoutSeconds=3600`);
    const calm = residentBytes(stage);
    for (const member of stalled) member.stall();
    const versions = await bulk(stage);
    const during = await pulsed(stage, healthy);
    const grown = residentBytes(stage) - calm;

    stage.measure('p99 of events before', before.p99);
    stage.measure('p99 of events during', during.p99);
    stage.measure('MiB that the gateway grew', grown / (1 << 20));
    stage.must('R.latency', during.p99 <= before.p99 * 1.1 + NOISE_MS, `p99 ${during.p99} ms, before ${before.p99} ms`);
    stage.must('R.stream', !healthy.some(({ ended }) => ended), 'a healthy watcher was closed');
    stage.must('V8.memory', grown < stalled.length * BYTES_EACH + NOISE_BYTES, `the gateway grew by ${grown} bytes`);
    await expectEverything(stage, stalled, versions);
    for (const member of [...healthy, ...stalled]) member.close();
    crowd.close();
  },
);

async function write(stage: Stage, name: string, data: Readonly<Record<string, string>>): Promise<string> {
  const [url] = stage.cluster.apiServerUrls;
  const api = stage.api(url);
  const made = await api.patch(`${PATH}/${name}`, 'merge', { data });
  const answer = made.status === 404 ? await api.post(PATH, { metadata: { name }, data }) : made;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json().metadata.resourceVersion;
}

async function pulses(stage: Stage): Promise<void> {
  for (let i = 0; i < PULSES; i++) {
    await write(stage, 'pulse', { sent: String(performance.now()) });
    await rest(PULSE_MS, stage.signal);
  }
}

/** Latency of the pulses that are sent now. */
async function pulsed(stage: Stage, members: readonly Member[]) {
  const from = members.map((member) => member.latencies.length);
  await pulses(stage);
  await rest(500, stage.signal);
  return latencies(members.flatMap((member, i) => member.latencies.slice(from[i])));
}

/** Many large events, whose versions are given back. */
async function bulk(stage: Stage): Promise<string[]> {
  const versions: string[] = [];
  for (let i = 0; i < BULK_EVENTS; i++) {
    versions.push(await write(stage, 'bulk', { text: String(i).padEnd(BULK_BYTES, 'x') }));
  }
  return versions;
}

async function expectEverything(stage: Stage, stalled: readonly Member[], versions: readonly string[]): Promise<void> {
  for (const member of stalled) member.wake();
  const last = versions.at(-1) ?? '';
  const all = () => stalled.every((member) => member.ended || member.versions.includes(last));
  await stage.recovers('those that wake have everything', 60_000, all);
  for (const member of stalled) {
    const missing = versions.filter((version) => !member.versions.includes(version));
    stage.must('V2.missing', missing.length === 0, `${missing.length} of ${versions.length} events never came`);
    const ordered = member.versions.every(
      (version, i) => i === 0 || BigInt(version) > BigInt(member.versions[i - 1] ?? 0),
    );
    stage.must('V2.order', ordered, 'events out of order or twice');
  }
}

function residentBytes({ cluster }: Stage): number {
  const pid = cluster.gateways[0]?.pid;
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
}
