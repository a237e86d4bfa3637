import { assertComplete, deliver, HOT_OBJECTS, type Traffic, watchPath, withTraffic } from '../delivery.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { type Latency, median } from '../summary.js';
import { addressOf } from '../target.js';
import { type Tiers, withTiers } from '../tiers.js';
import { ServerProcesses } from '../usage.js';
import { warmUp } from '../warm-up.js';
import type { StartMethods, WatchStarts } from '../watch-starts.worker.js';
import { Worker } from '../worker.js';
import { LATER, letThemIn, NOISE, NOISY, NOISY_FROM, POLITE, ROUNDS } from './polite.js';
import type { TiersSettings } from './tiers.js';

/** Watches that polite users start a second, and objects that are written meanwhile. */
const POLITE_STARTS = 50;
const WRITES = 20;

type Starters = Worker<StartMethods>;

/** Places of the noise, with their suffixes in names of rows. */
const BESIDE = { without: ': without', elsewhere: ': at another gateway', place: '' } as const;
type Beside = keyof typeof BESIDE;

const OVER = ['kept connections', 'new connections'] as const;
type Over = (typeof OVER)[number];

/**
 * What users of a gateway notice of one who starts watches without an end, 64 at a time, each on a connection of its own, from another address: how long the
 * start of a watch takes fifty others, and how late fifty watchers hear of what is written. They share the cores of the machine with
 * the servers, so that others would notice it even where it asked another gateway: that is measured as well.
 */
export async function watchNoiseColumns(settings: TiersSettings): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const tokens = Object.fromEntries([...POLITE, NOISY].map((name) => [name, name]));
  const shape = { apiServers: 1, gateways: 2, watched: () => [], run: settings.run, strangers: tokens };
  const rows = await withTiers(shape, async (tiers) => {
    await letThemIn(tiers.cluster);
    return withTraffic((traffic) =>
      withStarters((polite) => withStarters((noisy) => measure(settings, tiers, traffic, { polite, noisy }))),
    );
  });
  return new Map([['orch gateway', rows]]);
}

async function withStarters<T>(run: (starters: Starters) => Promise<T>): Promise<T> {
  const worker: Starters = new Worker(new URL('../watch-starts.worker.ts', import.meta.url));
  try {
    return await run(worker);
  } finally {
    worker.stop();
  }
}

interface Found {
  readonly starts: Latency[];
  readonly events: Latency[];
}

async function measure(
  { seconds, run }: TiersSettings,
  { cluster, writes, resource }: Tiers,
  traffic: Traffic,
  { polite, noisy }: Readonly<Record<'polite' | 'noisy', Starters>>,
): Promise<Measurement[]> {
  noisy.nice(LATER);
  const processes = new ServerProcesses(() => cluster.processes.map(({ pid }) => pid));
  const target = { name: 'gateway', endpoint: writes, resource, processes };
  const [endpoint, another] = cluster.gatewayUrls.map((url) => ({ ...writes, ...addressOf(url) }));
  if (endpoint === undefined || another === undefined) throw new Error('two gateways are needed');
  await fill(traffic.writer, target, HOT_OBJECTS);
  await warmUp(traffic.writer, target, run);
  const path = await watchPath(writes, resource);
  await traffic.receivers.open({
    endpoint: { ...endpoint, token: 'polite-0' },
    paths: [path],
    watchers: POLITE.length,
  });
  const noiseAt = (gateway: typeof endpoint, over: Over): WatchStarts => ({
    endpoint: { ...gateway, from: NOISY_FROM },
    path,
    tokens: Array.from({ length: NOISE }, () => NOISY),
    over,
  });
  const look = async (found: Found, over: Over): Promise<void> => {
    found.starts.push(
      await polite.call('start', { endpoint, path, tokens: POLITE, seconds, rate: POLITE_STARTS, over }),
    );
    const delivery = await deliver(traffic, target, { rate: WRITES, seconds, count: 'latency' });
    assertComplete(delivery);
    found.events.push(delivery.reading.latency);
  };
  const rows: Measurement[] = [];
  for (const over of OVER) {
    const found: Record<Beside, Found> = { without: nothing(), elsewhere: nothing(), place: nothing() };
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await look(found.without, over);
      for (const where of ['elsewhere', 'place'] as const) {
        const making = noisy.call('start', noiseAt(where === 'place' ? endpoint : another, over));
        await look(found[where], over);
        await noisy.call('stop', undefined);
        const { done, seconds: took } = await making;
        if (where === 'place') rates.push(done / took);
      }
    }
    rows.push(...rowsOf(found, over), { name: `starts of the noisy one, ${over}`, unit: '1/s', value: median(rates) });
  }
  return rows;
}

const nothing = (): Found => ({ starts: [], events: [] });

const rowsOf = (found: Readonly<Record<Beside, Found>>, over: Over): Measurement[] =>
  (['starts', 'events'] as const).flatMap((what) =>
    (['p50', 'p99'] as const).flatMap((part) =>
      (Object.keys(BESIDE) as Beside[]).map((where) => ({
        name: `polite ${what} ${part} beside ${NOISE} starters, ${over}${BESIDE[where]}`,
        unit: 'ms',
        value: median(found[where][what].map((latency) => latency[part])),
      })),
    ),
  );
