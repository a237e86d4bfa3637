import { killInTurns } from '../adversary/adversary.js';
import { Probe } from '../stage/probe.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, tortured } from './scenario.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

export const gatewayKills = tortured(
  {
    name: 'gateway-kills',
    fault: 'kill -9 of a gateway, again and again',
    pass: 'V2: clients resume elsewhere from their last version; no 410, so no new list',
  },
  (settings) => ({
    seconds: scaled(settings, 120, 8),
    faults: (stage) => killInTurns(stage, ['gateway'], [300, 1_500]),
  }),
);

export const gatewayPaused = tortured(
  {
    name: 'gateway-paused',
    fault: 'a gateway is stopped (SIGSTOP) for 60 s and goes on',
    pass: 'V2; new watches are answered meanwhile; afterwards it has what the others have',
  },
  (settings) => ({
    faults: async (stage) => {
      const victim = stage.random.pick(stage.cluster.gateways);
      await rest(1_000, stage.signal);
      await victim.kill('SIGSTOP');
      const paused = rest(scaled(settings, 60_000, 8_000), stage.signal);
      try {
        await expectNewWatches(stage, 4);
        await paused;
      } finally {
        await victim.kill('SIGCONT');
      }
      await rest(1_000, stage.signal);
    },
  }),
);

/** New watches through the load balancer begin within 10 s each. */
async function expectNewWatches(stage: Stage, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    const stream = await stage.api().watch(`${CONFIG_MAPS}?watch=1&timeoutSeconds=5`);
    const took = performance.now() - start;
    stage.measure('ms until a new watch begins', took);
    stage.must('R.answer', stream.status === 200, `a new watch was answered with ${stream.status}`);
    stage.must('R.latency', took <= 10_000, `a new watch began only after ${took.toFixed(0)} ms`);
    stream.close();
  }
}

export const gatewayWithoutNats = tortured(
  {
    name: 'gateway-without-nats',
    fault: 'one gateway is cut off from NATS; connections stay open, then they are reset',
    pass: 'V2; events p99 at most 2 s there; the fast path comes back',
  },
  (settings) => ({
    cluster: { through: (server, backend) => server === 'watch-gateway-0' && backend === 'nats' },
    faults: async (stage) => {
      const link = stage.links.get('watch-gateway-0', 'nats');
      const probe = await Probe.start(stage, { gateways: stage.cluster.gatewayUrls.slice(0, 1) });
      link.partition();
      const { events } = await probe.during(scaled(settings, 60_000, 6_000));
      stage.measure('p99 of events there', events.p99);
      stage.must('R.latency', events.count > 0 && events.p99 <= 2_000, `p99 of events there ${events.p99} ms`);
      link.heal();
      link.reset();
      await stage.recovers('events are fast again', 30_000, async () => (await probe.during(1_000)).events.p50 < 100);
      await probe.stop();
    },
  }),
);

/** Longer than the limit on the age of what a gateway knows, and than the database may be silent. */
const CUT_MS = 14_000;

export const gatewayWithoutPostgres = tortured(
  {
    name: 'gateway-without-postgres',
    fault: 'one gateway is cut off from PostgreSQL; connections stay open, nothing passes',
    pass: 'V2 (no bookmark beyond what was delivered); it says not ready, and ready again within 10 s of the end',
  },
  (settings) => ({
    cluster: { through: (server, backend) => server === 'watch-gateway-0' && backend === 'postgres' },
    faults: async (stage) => {
      const [url = ''] = stage.cluster.gatewayUrls;
      const ready = async () => (await stage.api(url).get('/readyz')).status === 200;
      const link = stage.links.get('watch-gateway-0', 'postgres');
      for (let i = 0; i < scaled(settings, 4, 1); i++) {
        link.partition();
        const cut = rest(CUT_MS, stage.signal);
        await stage.recovers('it says not ready', 12_000, async () => !(await ready()));
        await cut;
        link.heal();
        await stage.recovers('it is ready again', 10_000, ready);
      }
    },
  }),
);
