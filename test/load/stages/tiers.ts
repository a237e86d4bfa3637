import type { Cluster } from '../../../tools/up/index.js';
import { type Delivery, deliver, HOT_OBJECTS, type Traffic, watchPath, withTraffic } from '../delivery.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import type { StageSettings } from '../settings.js';
import { idleCosts, type TierCosts, type Tiers, type TiersShape, tierCosts, withTiers } from '../tiers.js';
import { ServerProcesses } from '../usage.js';
import { warmUp } from '../warm-up.js';

const BUSY_RATE = 500;
const WARM = { rate: 100, seconds: 2, count: 'bytes' } as const;

export type TiersSettings = Omit<StageSettings, 'target'>;

/**
 * From the request to the event through PostgreSQL and NATS, over TLS: from an api-server to gateways, and from one
 * api-server to watchers of another. A column of measurements for each.
 */
export async function tiersColumns(settings: TiersSettings): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const atGateways = ({ gatewayUrls }: Cluster) => gatewayUrls;
  const atTheOther = ({ apiServerUrls }: Cluster) => apiServerUrls.slice(1);
  return new Map([
    ['orch api-server, gateway', await measured(settings, { apiServers: 1, gateways: 1, watched: atGateways })],
    ['orch 2 api-servers, 2 gateways', await measured(settings, { apiServers: 2, gateways: 2, watched: atGateways })],
    ['orch api-server to api-server', await measured(settings, { apiServers: 2, gateways: 0, watched: atTheOther })],
  ]);
}

/** The selection of the watchers of one measurement. */
interface Audience {
  readonly name: string;
  /** Further parts of the queries of their watches, taken in turn. */
  readonly queries: readonly string[];
  /** Share of the writes that concern one watcher. */
  readonly share: number;
  /** Writes per second. */
  readonly rates: readonly number[];
}

function audiencesOf({ watchers, rate }: TiersSettings): Audience[] {
  const names = Array.from({ length: HOT_OBJECTS }, (_, object) => `&fieldSelector=metadata.name%3Do-${object}`);
  const each = `${watchers} watchers of an object each`;
  return [
    { name: `${watchers} watchers`, queries: [''], share: 1, rates: [rate, BUSY_RATE] },
    { name: each, queries: names, share: 1 / HOT_OBJECTS, rates: [BUSY_RATE] },
  ];
}

function measured(settings: TiersSettings, shape: Omit<TiersShape, 'run'>): Promise<Measurement[]> {
  return withTiers({ ...shape, run: settings.run }, (tiers) =>
    withTraffic((traffic) => deliveries(settings, tiers, traffic)),
  );
}

async function deliveries(settings: TiersSettings, tiers: Tiers, traffic: Traffic): Promise<Measurement[]> {
  const { watchers, seconds } = settings;
  const { cluster, writes, watches, resource } = tiers;
  const processes = new ServerProcesses(() => cluster.processes.map(({ pid }) => pid));
  const target = { name: 'tiers', endpoint: writes, resource, processes };
  const rows = memory(cluster);
  await fill(traffic.writer, target, HOT_OBJECTS);
  for (const [index, audience] of audiencesOf(settings).entries()) {
    const paths = await Promise.all(audience.queries.map((query) => watchPath(writes, resource, query)));
    for (const endpoint of watches) {
      await traffic.receivers.open({ endpoint, paths, watchers: Math.ceil(watchers / watches.length) });
    }
    await warmUp(traffic.writer, target, settings.run);
    await deliver(traffic, target, WARM);
    if (index === 0) rows.push(...(await idleCost(cluster)));
    for (const rate of audience.rates) {
      const before = tierCosts(cluster);
      const delivery = await deliver(traffic, target, { rate, seconds, count: 'latency' });
      rows.push(...latencies(audience, rate, delivery, before, tierCosts(cluster)));
    }
    await traffic.receivers.close();
  }
  return rows;
}

function latencies(
  { name: watched, share }: Audience,
  rate: number,
  { reading, writes, rate: reached }: Delivery,
  before: TierCosts,
  after: TierCosts,
): Measurement[] {
  const name = `${watched}, ${rate} writes/s`;
  const fewest = reading.fewest / Math.floor(writes * share);
  const each = (part: keyof TierCosts, per: number) => (after[part] - before[part]) / per;
  return [
    { name: `${name}: writes done`, unit: '1/s', value: reached },
    { name: `${name}: fewest events of a watcher, of its own`, unit: '%', value: 100 * fewest },
    { name: `${name}: request to event p50`, unit: 'ms', value: reading.latency.p50 },
    { name: `${name}: request to event p99`, unit: 'ms', value: reading.latency.p99 },
    { name: `${name}: CPU of servers of watches`, unit: 'µs/event', value: each('watching', reading.events) },
    { name: `${name}: CPU of the server of writes`, unit: 'µs/write', value: each('writing', writes) },
    { name: `${name}: CPU of PostgreSQL`, unit: 'µs/write', value: each('postgres', writes) },
    { name: `${name}: CPU of NATS`, unit: 'µs/write', value: each('nats', writes) },
  ];
}

async function idleCost(cluster: Cluster): Promise<Measurement[]> {
  const idle = await idleCosts(cluster);
  return [
    { name: 'nothing written: CPU of PostgreSQL for each server', unit: 'µs/s', value: idle.postgres },
    { name: 'nothing written: CPU of NATS for each server', unit: 'µs/s', value: idle.nats },
  ];
}

function memory(cluster: Cluster): Measurement[] {
  return cluster.processes.map((process) => ({
    name: `RSS when idle: ${process.name}`,
    unit: 'MB',
    value: new ServerProcesses(() => [process.pid]).residentBytes() / 1e6,
  }));
}
