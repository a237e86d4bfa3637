import type { Cluster } from '../../../tools/up/index.js';
import { type Delivery, deliver, HOT_OBJECTS, type Traffic, watchPath, withTraffic } from '../delivery.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import type { StageSettings } from '../settings.js';
import { idleCosts, type TierCosts, type Tiers, tierCosts, withTiers } from '../tiers.js';
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
  return new Map([
    ['orch 2 api-servers, 2 gateways', await measured(settings, 2, ({ gatewayUrls }) => gatewayUrls)],
    ['orch api-server to api-server', await measured(settings, 0, ({ apiServerUrls }) => apiServerUrls.slice(1))],
  ]);
}

function measured(
  settings: TiersSettings,
  gateways: number,
  watched: (cluster: Cluster) => readonly string[],
): Promise<Measurement[]> {
  return withTiers({ apiServers: 2, gateways, watched, run: settings.run }, (tiers) =>
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
  const paths = [await watchPath(writes, resource)];
  for (const endpoint of watches) {
    await traffic.receivers.open({ endpoint, paths, watchers: Math.ceil(watchers / watches.length) });
  }
  await warmUp(traffic.writer, target, settings.run);
  await deliver(traffic, target, WARM);
  rows.push(...(await idleCost(cluster)));
  for (const rate of [settings.rate, BUSY_RATE]) {
    const before = tierCosts(cluster);
    const delivery = await deliver(traffic, target, { rate, seconds, count: 'latency' });
    rows.push(...latencies(`${watchers} watchers, ${rate} writes/s`, delivery, before, tierCosts(cluster)));
  }
  return rows;
}

function latencies(name: string, delivery: Delivery, before: TierCosts, after: TierCosts): Measurement[] {
  const { reading, writes } = delivery;
  const each = (part: keyof TierCosts, per: number) => (after[part] - before[part]) / per;
  return [
    { name: `${name}: writes done`, unit: '1/s', value: delivery.rate },
    { name: `${name}: fewest events of a watcher, of all`, unit: '%', value: (100 * reading.fewest) / writes },
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
