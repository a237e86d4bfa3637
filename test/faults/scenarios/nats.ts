import { Forger } from '../adversary/forger.js';
import { StreamTamperer } from '../adversary/stream-tamperer.js';
import { Probe, type ProbeReport } from '../stage/probe.js';
import { scrape } from '../stage/scrape.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { type Scenario, type ScenarioSettings, scaled, tortured } from './scenario.js';

const PASS =
  'V2 and the others; writes as fast as before (p99 at most twice as long), watches go on from the database (p99 at most 2 s) and return to the fast path';
/** Before and after: as long as it takes to have a p99 worth the name. The worse of the two is what the machine can. */
const CALM_MS = 3_000;
/** Tolerance for a p99 on a busy machine, ms. */
const NOISE_MS = 40;
const SLOW_PATH_MS = 2_000;
/** Latency that only the bus can reach: polling the heads takes half a second on average. */
const FAST_PATH_MS = 100;
const RETURN_MS = 30_000;

type Fault = (stage: Stage, settings: ScenarioSettings) => Promise<void>;

/** Times writes and events before, during and after something happens to NATS. */
function timed(name: string, fault: string, away: Fault, more: { readonly linked?: boolean } = {}): Scenario {
  return tortured({ name, fault, pass: PASS }, (settings) => ({
    ...(more.linked && { cluster: { through: (_server: string, backend: string) => backend === 'nats' } }),
    faults: async (stage) => {
      const probe = await Probe.start(stage);
      const before = await probe.during(CALM_MS);
      await away(stage, settings);
      const during = probe.take();
      await stage.recovers('events are fast again', RETURN_MS, async () => {
        const { events } = await probe.during(1_000);
        return events.count > 0 && events.p50 < FAST_PATH_MS;
      });
      const after = await probe.during(CALM_MS);
      await probe.stop();
      judgeSlow(stage, before.writes.p99 > after.writes.p99 ? before : after, during);
    },
  }));
}

function judgeSlow(stage: Stage, calm: ProbeReport, during: ProbeReport): void {
  stage.measure('p99 of writes without', calm.writes.p99);
  stage.measure('p99 of writes during', during.writes.p99);
  stage.measure('p50 of events without', calm.events.p50);
  stage.measure('p99 of events during', during.events.p99);
  stage.must('R.answer', during.failedWrites === 0, `${during.failedWrites} writes failed`);
  const most = calm.writes.p99 * 2 + NOISE_MS;
  stage.must(
    'R.latency',
    during.writes.p99 <= most,
    `p99 of writes ${during.writes.p99} ms, without ${calm.writes.p99}`,
  );
  stage.must('R.latency', during.events.p99 <= SLOW_PATH_MS, `p99 of events ${during.events.p99} ms`);
}

const kill: Fault = async ({ cluster: { nats }, random, signal }) => {
  await nats.kill('SIGKILL');
  await rest(random.between(1_000, 3_000), signal);
  await nats.start();
};

export const natsKilled = timed(
  'nats-killed',
  'NATS is killed and started again, with nothing of what its stream had in memory',
  kill,
);

export const natsTampered = timed(
  'nats-tampered',
  'gateways lose their connections to NATS for moments, while somebody deletes from its stream and puts forged records into it',
  async (stage, settings) => {
    const tamperer = await StreamTamperer.open(stage);
    const forger = await Forger.open(stage.cluster.natsUrl, stage.random.fork('forger'));
    for (let i = 0; i < scaled(settings, 20, 4) && !stage.signal.aborted; i++) {
      const links = stage.cluster.gateways.map(({ name }) => stage.links.get(name, 'nats'));
      for (const link of links) {
        link.refuse(true);
        link.reset();
      }
      await rest(stage.random.between(300, 1_500), stage.signal);
      await tamperer.deleteSome();
      for (const link of links) link.heal();
      await rest(2_000, stage.signal);
    }
    await Promise.all([tamperer.close(), forger.close()]);
    stage.measure('messages deleted from the stream', tamperer.deleted);
    stage.must('R.answer', tamperer.deleted > 0, 'nothing was deleted from the stream');
    for (const url of stage.cluster.gatewayUrls) {
      const metrics = await scrape(stage, url);
      const missed = metrics.sum('orch_feed_reread_messages_total');
      const refused = metrics.sum('orch_feed_refused_messages_total');
      stage.measure('messages read from the stream', missed);
      stage.must('R.answer', missed > 0 && refused > 0, `${url} read ${missed} messages and refused ${refused}`);
    }
  },
  { linked: true },
);

export const natsPaused = timed(
  'nats-paused',
  'NATS is stopped (SIGSTOP) for 30 s and goes on',
  async (stage, settings) => {
    const { nats } = stage.cluster;
    await nats.kill('SIGSTOP');
    await rest(scaled(settings, 30_000, 5_000), stage.signal);
    await nats.kill('SIGCONT');
  },
);

export const natsDown = timed('nats-down', 'NATS is down for 10 minutes', async (stage, settings) => {
  const { nats } = stage.cluster;
  await nats.kill('SIGKILL');
  await rest(scaled(settings, 600_000, 6_000), stage.signal);
  await nats.start();
});

export const natsPartitioned = timed(
  'nats-partitioned',
  'NATS cannot be reached by any server for 60 s, connections stay open; then they are reset',
  async (stage, settings) => {
    for (const link of stage.links.all()) link.partition();
    await rest(scaled(settings, 60_000, 6_000), stage.signal);
    for (const link of stage.links.all()) {
      link.heal();
      link.reset();
    }
  },
  { linked: true },
);

export const natsSlow = timed(
  'nats-slow',
  'what NATS sends is late by 300 ms at one gateway, and 20 kB/s is all that another gets',
  async (stage, settings) => {
    stage.links.get('watch-gateway-0', 'nats').set('toClient', { delayMs: 300 });
    stage.links.get('watch-gateway-1', 'nats').set('toClient', { bytesPerSecond: 20_000 });
    await rest(scaled(settings, 60_000, 5_000), stage.signal);
    for (const link of stage.links.all()) link.heal();
  },
  { linked: true },
);
