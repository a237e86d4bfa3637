import { bareCost, type Delivery, deliver, HOT_OBJECTS, type Traffic, watchPath } from '../delivery.js';
import { highestRate, perSecond } from '../fan-out-load.js';
import { Receivers } from '../receivers.js';
import type { Measurement } from '../report.js';
import { fill } from '../requests.js';
import { inNamespace, type Resource } from '../resource.js';
import { herd } from '../stages/herd.js';
import type { Target } from '../target.js';
import type { RowGroup, TableBench } from './bench.js';
import { ORCH, type Side } from './sides.js';

const MANY_WATCHES = 5_000;
const [HERD_WATCHES, HERD_OBJECTS] = [200, 2_000];
/** Writes that the floor gathers into one at full speed, as a server does, and how many of these each socket gets. */
const [GATHERED, GATHERED_WRITES] = [10, 30];

/** Opens watches on a collection, measures with them, and ends them. */
class Watched {
  readonly #resources = new Map<Side, Resource>();

  constructor(
    private readonly bench: TableBench,
    private readonly label: string,
    private readonly objects: number,
  ) {}

  async prepare(side: Side): Promise<void> {
    if (side.floor) return;
    const { endpoint, resource } = side.target;
    const filled = await inNamespace(endpoint, resource, `${this.bench.settings.run}-${this.label}`);
    await fill(this.bench.worker, { endpoint, resource: filled }, this.objects);
    this.#resources.set(side, filled);
  }

  async measure<T>(side: Side, run: (target: Target, traffic: Traffic) => Promise<T>): Promise<T> {
    const receivers = new Receivers();
    try {
      const resource = this.#resources.get(side) ?? side.target.resource;
      return await run({ ...side.target, resource }, { writer: this.bench.worker, receivers });
    } finally {
      receivers.stop();
    }
  }
}

/** Returns the rows of events to so many watches at a rate of writes, and as fast as they can be had. */
function fanOutGroup(bench: TableBench, watchers: number, isLoaded: boolean): RowGroup {
  const { rate, seconds } = bench.settings;
  const watched = new Watched(bench, `fan-${watchers}`, HOT_OBJECTS);
  const name = `${watchers.toLocaleString('en')} watches`;
  let eventBytes = 1_400;
  const floorRows = async ({ endpoint }: Target): Promise<Measurement[]> => {
    const quiet = { sockets: watchers, writeBytes: eventBytes, writes: rate * seconds, rate };
    const gathered = { sockets: watchers, writeBytes: eventBytes * GATHERED, writes: GATHERED_WRITES };
    return [
      quietCpu(name, rate, await bareCost(endpoint, quiet)),
      ...(isLoaded ? [loadedCpu(name, (await bareCost(endpoint, gathered)) / GATHERED)] : []),
    ];
  };
  return {
    ...{ name, isWarm: true },
    prepare: (side) => watched.prepare(side),
    measure: (side) =>
      watched.measure(side, async (target, traffic) => {
        if (side.floor) return floorRows(target);
        const { endpoint, resource } = target;
        await traffic.receivers.open({ endpoint, paths: [await watchPath(endpoint, resource)], watchers });
        const quiet = await deliver(traffic, target, { rate, seconds, count: 'latency' });
        if (target.name === ORCH) eventBytes = Math.round(quiet.reading.bytes / quiet.reading.events);
        const rows = quietRows(name, rate, watchers, quiet);
        if (!isLoaded) return rows;
        const each = (writes: number) => deliver(traffic, target, { rate: writes, seconds, count: 'bytes' });
        const { best } = await highestRate(each);
        return best ? [...rows, ...loadedRows(name, best)] : rows;
      }),
  };
}

function quietRows(name: string, rate: number, watchers: number, { reading, cpu, writes }: Delivery): Measurement[] {
  const title = `${name} × ${rate} writes/s`;
  return [
    quietCpu(name, rate, cpu / reading.events),
    { name: `${title}: latency p50`, unit: 'ms', value: reading.latency.p50 },
    { name: `${title}: latency p99`, unit: 'ms', value: reading.latency.p99 },
    { name: `${title}: delivered`, unit: '%', value: (100 * reading.events) / (writes * watchers) },
  ];
}

const quietCpu = (name: string, rate: number, value: number): Measurement => ({
  ...{ name: `${name} × ${rate} writes/s: server CPU`, unit: 'µs/event', value },
});

const loadedCpu = (name: string, value: number): Measurement => ({
  ...{ name: `${name} at full speed: server CPU`, unit: 'µs/event', value },
});

const loadedRows = (name: string, best: Delivery): Measurement[] => [
  { name: `${name} at full speed`, unit: 'events/s', value: perSecond(best) },
  loadedCpu(name, best.cpu / best.reading.events),
];

/** Returns the rows of watches that all start from nothing at once. */
function herdGroup(bench: TableBench): RowGroup {
  const size = { watchers: bench.scaled(HERD_WATCHES, 10), objects: bench.scaled(HERD_OBJECTS) };
  const watched = new Watched(bench, 'herd', size.objects);
  const name = `${size.watchers} watches of ${size.objects.toLocaleString('en')} from nothing`;
  return {
    ...{ name, isWarm: true },
    prepare: (side) => watched.prepare(side),
    measure: (side) =>
      watched.measure(side, async (target, { receivers }) => {
        if (side.floor) return [];
        const { took, cpu } = await herd(target, receivers, size);
        return [
          { name, unit: 'ms', value: took },
          { name: `${name}: server CPU`, unit: 'µs/event', value: cpu },
        ];
      }),
  };
}

/** Returns the groups of all watches. */
export function watchGroups(bench: TableBench): RowGroup[] {
  const { watchers, full } = bench.settings;
  const many = full ? [fanOutGroup(bench, bench.scaled(MANY_WATCHES, 10), false)] : [];
  return [fanOutGroup(bench, watchers, true), ...many, herdGroup(bench)];
}
