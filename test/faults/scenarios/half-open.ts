import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Crowd } from '../stage/crowd.js';
import type { DistantGroup } from '../stage/distant-watchers.js';
import { NetworkNamespace } from '../stage/network-namespace.js';
import { scrape } from '../stage/scrape.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, staged } from './scenario.js';

const PROGRAM = fileURLToPath(new URL('../stage/distant-watchers.ts', import.meta.url));
const REAPED_MS = 60_000;
const PULSE_MS = 250;
/** Large enough that a dozen fill what the kernel buffers for a connection. */
const BULK_BYTES = 700_000;
const BULK_WRITES = 40;

/** Type without changes. */
const IDLE = 'serviceaccounts';
/** Type with constant changes, so that events are in flight before and after the cable is pulled. */
const BUSY = 'secrets';
/**
 * Type with so many events that the buffers of a client that does not read are full, and the kernel probes its window.
 */
const STALLED = 'configmaps';

const pathOf = (resource: string) => `/api/v1/namespaces/default/${resource}`;
const watchOf = (resource: string) => `${pathOf(resource)}?watch=1&timeoutSeconds=3600`;

export const halfOpen = staged(
  {
    name: 'half-open',
    fault:
      'the network between a gateway and its clients is cut, and neither side is told; some are idle, some have events under way, some had stopped reading',
    pass: 'connections that are half-open are gone within 60 s, while others go on, those that do not read among them',
  },
  { apiServers: 1, gateways: 1, serverArgs: ['--bind-address=0.0.0.0'] },
  async (stage, settings) => {
    const url = stage.cluster.gatewayUrls[0] ?? '';
    const crowd = new Crowd(stage, url);
    const near = (await Promise.all([IDLE, BUSY, STALLED].map((type) => crowd.gather(1, watchOf(type))))).flat();
    near.at(-1)?.stall();
    const groups = [
      { count: scaled(settings, 100, 20), path: watchOf(IDLE) },
      { count: scaled(settings, 100, 20), path: watchOf(BUSY) },
      { count: scaled(settings, 20, 4), path: watchOf(STALLED), stalls: true },
    ];
    const network = NetworkNamespace.create(stage.random.between(1, 250));
    const clients = await openDistant(stage, network, url, groups);
    const over = new AbortController();
    try {
      await fill(stage, url, groups);
      const pulses = pulse(stage, over.signal);
      network.pull();
      await Promise.all([IDLE, BUSY, STALLED].map((type) => reaped(stage, url, type)));
      over.abort();
      await pulses;
      stage.must('R.stream', !near.some(({ ended }) => ended), 'another watch was ended as well');
    } finally {
      over.abort();
      clients.kill('SIGKILL');
      for (const member of near) member.close();
      crowd.close();
      network.remove();
    }
  },
);

async function openDistant(stage: Stage, network: NetworkNamespace, url: string, groups: readonly DistantGroup[]) {
  const args = [network.host, new URL(url).port, stage.cluster.token, JSON.stringify(groups)];
  const clients = network.spawn(process.execPath, ['--import', 'tsx', PROGRAM, ...args]);
  await Promise.race([once(clients.stdout ?? clients, 'data'), once(clients, 'exit')]);
  const open = await openWatches(stage, url);
  const wanted = groups.reduce((sum, { count }) => sum + count + 1, 0);
  stage.must('R.answer', open === wanted, `${open} watches are open, not ${wanted}`);
  return clients;
}

/** Writes until everybody who does not read stands still. */
async function fill(stage: Stage, url: string, groups: readonly DistantGroup[]): Promise<void> {
  const standing = 1 + groups.reduce((sum, { count, stalls = false }) => sum + (stalls ? count : 0), 0);
  await stage.api().post(pathOf(STALLED), { metadata: { name: 'bulk' } });
  for (let i = 0; i < BULK_WRITES; i++) {
    if ((await scrape(stage, url)).sum('orch_watch_cache_behind', `resource="${STALLED}"`) === standing) return;
    await stage.api().patch(`${pathOf(STALLED)}/bulk`, 'merge', { data: { text: `${i}`.padEnd(BULK_BYTES, 'x') } });
  }
  stage.report('R.recovery', 'those who do not read never stood still');
}

async function pulse(stage: Stage, over: AbortSignal): Promise<void> {
  await stage.api().post(pathOf(BUSY), { metadata: { name: 'pulse' } });
  for (let i = 0; !over.aborted; i++) {
    const { status } = await stage.api().patch(`${pathOf(BUSY)}/pulse`, 'merge', { stringData: { number: `${i}` } });
    stage.must('R.answer', status === 200, `a write was answered with ${status}`);
    await rest(PULSE_MS, over);
  }
}

const reaped = (stage: Stage, url: string, type: string) =>
  stage.recovers(`half-open watches of ${type} are gone`, REAPED_MS, async () => {
    await rest(500, stage.signal);
    return (await openWatches(stage, url, `resource="${type}"`)) === 1;
  });

async function openWatches(stage: Stage, url: string, label?: string): Promise<number> {
  return (await scrape(stage, url)).sum('orch_watch_cache_watchers', label);
}
