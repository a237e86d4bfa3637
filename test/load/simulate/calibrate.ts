import { cpus } from 'node:os';
import { deliver, HOT_OBJECTS, type Traffic, watchPath, withTraffic } from '../delivery.js';
import { fill } from '../requests.js';
import { settledMemory } from '../stages/idle.js';
import type { Target } from '../target.js';
import { idleCosts, type Tiers, tierCosts, withTiers } from '../tiers.js';
import { ServerProcesses } from '../usage.js';
import type { Calibration, Costs, MeasuredPoint } from './costs.js';
import { fitFanOut } from './fit.js';

const SECONDS = 2;
const WARM = { rate: 300, seconds: 4, count: 'bytes' } as const;
/** Rate of writes at which the cost of a change without deliveries is measured. */
const LONE_RATE = 200;
const WATCHERS = 1_000;
const FITTED_RATES = [20, 100, 300];
/** Measured to hold the model against. */
const CHECKED_RATES = [10, 50, 200];
const MANY_WATCHERS = 5_000;
const MANY_RATES = [2, 5, 20];

/** Measures an api-server and a gateway with PostgreSQL and NATS, over TLS; `check` measures further points. */
export function calibrate(check: boolean): Promise<Calibration> {
  const settings = { apiServers: 1, gateways: 1, run: `s${Date.now().toString(36)}` };
  return withTiers({ ...settings, watched: ({ gatewayUrls }) => gatewayUrls }, (tiers) =>
    withTraffic((traffic) => new Calibrating(tiers, traffic).run(check)),
  );
}

class Calibrating {
  readonly #target: Target;
  #watchers = 0;

  constructor(
    private readonly tiers: Tiers,
    private readonly traffic: Traffic,
  ) {
    const { cluster, writes, resource } = tiers;
    // What it uses is read of each tier apart; of the whole, only the memory of gateways.
    const processes = new ServerProcesses(() => cluster.gateways.map(({ pid }) => pid));
    this.#target = { name: 'calibration', endpoint: writes, resource, processes };
  }

  async run(check: boolean): Promise<Calibration> {
    await fill(this.traffic.writer, this.#target, HOT_OBJECTS);
    await this.#open(1);
    await deliver(this.traffic, this.#target, WARM);
    const lone = await this.#lone();
    const gateway = await settledMemory(this.#target);
    // A server grows once with its first watchers; the second half tells what each one takes.
    await this.#open(WATCHERS / 2);
    const half = await settledMemory(this.#target);
    await this.#open(WATCHERS);
    const whole = await settledMemory(this.#target);
    const memory = { gateway, watcher: Math.max(0, whole - half) / (WATCHERS / 2) };
    await deliver(this.traffic, this.#target, { ...WARM, seconds: 1 });
    const fitted = await this.#points(FITTED_RATES);
    const costs = fitFanOut({ ...lone, memory }, fitted);
    const checked = check ? await this.#points(CHECKED_RATES) : [];
    if (check) {
      await this.#open(MANY_WATCHERS);
      checked.push(...(await this.#points(MANY_RATES)));
    }
    return { machine: `${cpus().length} × ${cpus()[0]?.model}`, costs, fitted, checked };
  }

  /** Opens watches until there are so many. */
  async #open(watchers: number): Promise<void> {
    const { watches, writes, resource } = this.tiers;
    const [endpoint] = watches;
    if (!endpoint) throw new Error('no gateway');
    const paths = [await watchPath(writes, resource)];
    await this.traffic.receivers.open({ endpoint, paths, watchers: watchers - this.#watchers });
    this.#watchers = watchers;
  }

  /** Costs of everything but the fan-out, with one watcher. */
  async #lone(): Promise<Omit<Costs, 'memory'>> {
    const { cluster } = this.tiers;
    const idle = await idleCosts(cluster);
    const before = tierCosts(cluster);
    const load = { rate: LONE_RATE, seconds: SECONDS, count: 'latency' } as const;
    const threads = this.#target.processes.mainThreads();
    const { reading, writes } = await deliver(this.traffic, this.#target, load);
    const stretch = this.#stretchSince(threads);
    const after = tierCosts(cluster);
    const servers = cluster.apiServers.length + cluster.gateways.length;
    return {
      write: 0,
      event: 0,
      change: (after.watching - before.watching) / writes,
      eventBytes: reading.bytes / reading.events,
      arrival: { p50: reading.latency.p50 / stretch, p99: reading.latency.p99 / stretch },
      poll: idle.postgres,
      request: {
        postgres: (after.postgres - before.postgres) / writes,
        apiServer: (after.writing - before.writing) / writes,
      },
      hand: (after.nats - before.nats) / writes / servers,
      client: { read: 0, event: 0 },
    };
  }

  async #points(rates: readonly number[]): Promise<MeasuredPoint[]> {
    const points: MeasuredPoint[] = [];
    for (const rate of rates) {
      const before = tierCosts(this.tiers.cluster);
      const threads = this.#target.processes.mainThreads();
      const load = { rate, seconds: SECONDS, count: 'latency' } as const;
      const delivery = await deliver(this.traffic, this.#target, load);
      const { reading } = delivery;
      points.push({
        watchers: this.#watchers,
        rate: delivery.rate,
        perEvent: (tierCosts(this.tiers.cluster).watching - before.watching) / reading.events,
        clientPerEvent: reading.cpuMicroseconds / reading.events,
        stretch: this.#stretchSince(threads),
        ...reading.latency,
      });
    }
    return points;
  }

  /** Time that the gateway wanted a core for each that it had one. */
  #stretchSince(before: { readonly ran: number; readonly waited: number }): number {
    const { ran, waited } = this.#target.processes.mainThreads();
    return 1 + (waited - before.waited) / (ran - before.ran);
  }
}
