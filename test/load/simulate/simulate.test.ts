import { describe, expect, test } from 'vitest';
import { predict } from './check.js';
import type { Costs, MeasuredPoint } from './costs.js';
import { fitFanOut, fitLine } from './fit.js';
import { type Fleet, planOf, ranges, recommended, scan } from './fleet.js';
import { type GatewayLoad, simulateGateway } from './gateway-model.js';

const COSTS: Costs = {
  write: 8,
  event: 1,
  change: 50,
  eventBytes: 1_100,
  arrival: { p50: 4, p99: 12 },
  memory: { gateway: 100e6, watcher: 40e3 },
  poll: 200,
  request: { postgres: 150, apiServer: 500 },
  hand: 20,
  client: { read: 0, event: 0 },
};

const load = (more: Partial<GatewayLoad>): GatewayLoad => ({
  watchers: 1_000,
  audiences: 1,
  changes: 20,
  concerned: 20,
  arrivals: 'even',
  seconds: 5,
  ...more,
});

describe('one gateway', () => {
  test('a lone event costs a write and itself, and reaches the middle watcher in half of the flush', () => {
    const result = simulateGateway(COSTS, load({}));
    expect(result.gathered).toBe(1);
    expect(result.perEvent).toBeCloseTo(9.05);
    expect(result.utilisation).toBeCloseTo(20 * 9.05e-3, 1);
    // 50 µs for the change, then 1,000 writes of 9 µs.
    expect(result.p50 - COSTS.arrival.p50).toBeGreaterThan(4);
    expect(result.p50 - COSTS.arrival.p50).toBeLessThan(5);
  });

  test('under load writes carry many events, and the cost of each falls towards its own', () => {
    const result = simulateGateway(COSTS, load({ changes: 500, concerned: 500 }));
    expect(result.gathered).toBeGreaterThan(5);
    expect(result.perEvent).toBeLessThan(3);
    expect(result.utilisation).toBeLessThan(1);
  });

  test('beyond what one core can do the queue grows', () => {
    const some = simulateGateway(COSTS, load({ watchers: 10_000, changes: 300, concerned: 300, seconds: 2 }));
    const more = simulateGateway(COSTS, load({ watchers: 10_000, changes: 300, concerned: 300, seconds: 4 }));
    expect(some.utilisation).toBeGreaterThan(0.95);
    expect(more.p99).toBeGreaterThan(1.5 * some.p99);
  });

  test('a change that concerns one watcher of many costs one write', () => {
    const sparse = load({ watchers: 5_000, audiences: 5_000, changes: 1_000, concerned: 1_000, arrivals: 'random' });
    const result = simulateGateway(COSTS, sparse);
    expect(result.perEvent).toBeCloseTo(COSTS.write + COSTS.event + COSTS.change, 0);
    expect(result.p50 - COSTS.arrival.p50).toBeLessThan(0.2);
  });

  test('changes that concern nobody are paid for all the same', () => {
    const { utilisation } = simulateGateway(COSTS, load({ changes: 1_000, concerned: 0 }));
    expect(utilisation).toBeCloseTo(1_000 * 50e-6, 2);
  });

  test('a client that is slower than the gateway is waited for', () => {
    const slow = { ...COSTS, client: { read: 40, event: 0 } };
    const alone = simulateGateway(slow, load({}));
    const read = simulateGateway(slow, load({ clients: { processes: 1 } }));
    expect(alone.p50).toBeLessThan(10);
    expect(read.p50).toBeGreaterThan(20);
  });
});

describe('fitting', () => {
  test('a line is found, and no cost is below nothing', () => {
    const line = fitLine([1, 0.5, 0.1].map((x) => ({ share: x, cost: 8 * x + 2 })));
    expect(line.slope).toBeCloseTo(8);
    expect(line.level).toBeCloseTo(2);
    expect(
      fitLine([
        { share: 1, cost: 5 },
        { share: 0.1, cost: 0.1 },
      ]).level,
    ).toBe(0);
    expect(
      fitLine([
        { share: 1, cost: 5 },
        { share: 1, cost: 7 },
      ]).slope,
    ).toBe(0);
  });

  test('costs are found again from what the model itself says, and predict other points', () => {
    const points = [20, 200, 600].map((rate) => measured({ watchers: 1_000, rate }));
    const fitted = fitFanOut({ ...COSTS, write: 0, event: 0, client: { read: 0, event: 0 } }, points);
    expect(fitted.write / COSTS.write).toBeCloseTo(1, 1);
    expect(fitted.event / COSTS.event).toBeCloseTo(1, 1);
    const other = measured({ watchers: 5_000, rate: 15 });
    expect(predict(fitted, other).perEvent / other.perEvent).toBeCloseTo(1, 1);
    expect(predict(fitted, other).p99 / other.p99).toBeCloseTo(1, 1);
  });

  test('cores that are shared make everything slower, and no event dearer', () => {
    const point = measured({ watchers: 2_000, rate: 100 });
    const costs = { ...COSTS, client: { read: 8, event: 1 } };
    const shared = predict(costs, { ...point, stretch: 2 });
    const alone = predict(costs, point);
    expect(shared.p99).toBeGreaterThan(alone.p99);
    // With longer turns more is gathered, so that it may even be cheaper.
    expect(shared.perEvent).toBeLessThanOrEqual(alone.perEvent * 1.01);
  });
});

function measured(at: Pick<MeasuredPoint, 'watchers' | 'rate'>): MeasuredPoint {
  const { perEvent, p50, p99 } = simulateGateway(COSTS, load({ ...at, changes: at.rate, concerned: at.rate }));
  return { ...at, perEvent, clientPerEvent: 0, stretch: 1, p50, p99 };
}

describe('a fleet', () => {
  const fleet: Fleet = {
    watchers: 100_000,
    writes: 20,
    audiences: 1,
    host: { cores: 16, memoryGib: 64, networkGbit: 25 },
    limits: { headroom: 0.7, p99Ms: 1_000, postgresCores: 16, natsCores: 16, natsGbit: 25 },
  };
  const limited = (limits: Partial<Fleet['limits']>): Fleet => ({ ...fleet, limits: { ...fleet.limits, ...limits } });

  test('is recommended the fewest gateways that keep every limit', () => {
    const plans = scan(COSTS, fleet);
    const best = recommended(plans);
    // 100,000 watchers × 20 writes/s × 9 µs are 18 cores, and 26 at 70 % of each, if every event came alone.
    expect(best?.gateways).toBeGreaterThanOrEqual(13);
    expect(best?.gateways).toBeLessThanOrEqual(26);
    expect(best?.over).toEqual([]);
    expect(best?.hosts).toBe(2);
    expect(planOf(COSTS, fleet, 9).over).toContain('CPU');
  });

  test('memory, network, latency, PostgreSQL and NATS set limits of their own', () => {
    const one = planOf(COSTS, { ...fleet, host: { ...fleet.host, memoryGib: 2, networkGbit: 1 } }, 16);
    expect(one.over).toEqual(expect.arrayContaining(['memory', 'network']));
    expect(planOf(COSTS, limited({ p99Ms: 5 }), 50).over).toEqual(['latency']);
    expect(planOf(COSTS, limited({ postgresCores: 0.001 }), 50).over).toEqual(['PostgreSQL']);
    expect(planOf(COSTS, limited({ natsCores: 0.001, natsGbit: 0.001 }), 50).over).toEqual([
      'NATS CPU',
      'NATS network',
    ]);
  });

  test('may have no number of gateways that does', () => {
    expect(recommended(scan(COSTS, limited({ p99Ms: 1 })))).toBeUndefined();
  });

  test('is told from and up to how many gateways a limit is kept', () => {
    const found = ranges(scan(COSTS, limited({ natsCores: 0.1 })));
    const of = (limit: string) => found.find((range) => range.limit === limit);
    expect(of('CPU')?.from).toBeGreaterThan(12);
    expect(of('CPU')?.to).toBeUndefined();
    // 20 changes a second of 20 µs each for 175 gateways are 0.07 cores.
    expect(of('NATS CPU')?.from).toBe(1);
    expect(of('NATS CPU')?.to).toBeGreaterThan(150);
    expect(of('NATS CPU')?.to).toBeLessThan(180);
  });

  test('of small audiences brings to each gateway only what concerns it', () => {
    const plan = planOf(COSTS, { ...fleet, writes: 1_000, audiences: 100_000 }, 10);
    expect(plan.watchersEach).toBe(10_000);
    // A tenth of the changes concern it: 100 writes to one watcher, beside 1,000 changes looked at.
    expect(plan.gateway.utilisation).toBeCloseTo(1_000 * 50e-6 + 100 * 9e-6, 2);
  });
});
