import { assertComplete, bareCost, type Delivery, deliver, type Traffic } from './delivery.js';
import type { Measurement } from './report.js';
import type { StageSettings } from './settings.js';

/** Writes per second that are tried for the highest rate of deliveries. */
const WRITE_RATES = [50, 150, 500, 1500];
/** Writes that a bare sender gathers into one, as a server does under load. */
const GATHERED = 10;
const GATHERED_WRITES = 30;

export interface FanOut {
  /** Prefix of the names of rows, for example `1000 watchers`. */
  readonly name: string;
  readonly watchers: number;
  /** Whether a bare sender to as many sockets is measured beside. */
  readonly bare: boolean;
}

/** Few writes a second: how long an event takes, and what one costs when it comes alone. */
export async function quietFanOut(
  { target, seconds, rate }: StageSettings,
  traffic: Traffic,
  { name: subject, watchers, bare }: FanOut,
): Promise<Measurement[]> {
  const delivery = await deliver(traffic, target, { rate, seconds, count: 'latency' });
  assertComplete(delivery);
  const { reading, cpu, writes } = delivery;
  const perEvent = cpu / reading.events;
  const name = `${subject}, ${rate} writes/s`;
  const rows: Measurement[] = [
    { name: `${name}: latency p50`, unit: 'ms', value: reading.latency.p50 },
    { name: `${name}: latency p99`, unit: 'ms', value: reading.latency.p99 },
    { name: `${name}: server CPU`, unit: 'µs/event', value: perEvent },
  ];
  if (!bare) return rows;
  const writeBytes = Math.round(reading.bytes / reading.events);
  const cost = await bareCost(target.endpoint, { sockets: watchers, writeBytes, writes, rate });
  return [
    ...rows,
    { name: `${name}: a bare sender at that rate`, unit: 'µs/event', value: cost },
    { name: `${name}: CPU to that of a bare sender`, unit: '×', value: perEvent / cost },
  ];
}

/** More and more writes a second until deliveries no longer rise; the best is reported. */
export async function loadedFanOut(
  { target, seconds }: StageSettings,
  traffic: Traffic,
  { name: subject, watchers, bare }: FanOut,
): Promise<Measurement[]> {
  const { best, ended } = await highestRate((rate) => deliver(traffic, target, { rate, seconds, count: 'bytes' }));
  const name = `${subject}, loaded`;
  const rows: Measurement[] = [
    { name: `${name}: deliveries`, unit: 'events/s', value: best ? perSecond(best) : Number.NaN },
    { name: `${name}: server CPU`, unit: 'µs/event', value: best ? best.cpu / best.reading.events : Number.NaN },
    { name: `${name}: streams ended by the server`, unit: '', value: ended },
  ];
  if (!bare || best === undefined) return rows;
  const eventBytes = Math.round(best.reading.bytes / best.reading.events);
  const load = { sockets: watchers, writeBytes: eventBytes * GATHERED, writes: GATHERED_WRITES };
  const cost = (await bareCost(target.endpoint, load)) / GATHERED;
  const value = best.cpu / best.reading.events / cost;
  return [...rows, { name: `${name}: CPU to that of a bare sender of gathered events`, unit: '×', value }];
}

/** Deliveries a second. */
export const perSecond = ({ reading, elapsed }: Delivery): number => (reading.events / elapsed) * 1000;

/** Tries more and more writes a second until deliveries no longer rise. */
export async function highestRate(
  run: (rate: number) => Promise<Delivery>,
): Promise<{ readonly best: Delivery | undefined; readonly ended: number }> {
  let best: Delivery | undefined;
  for (const rate of WRITE_RATES) {
    const delivery = await run(rate);
    const { ended } = delivery.reading;
    if (ended > 0) return { best, ended };
    if (best && perSecond(delivery) < perSecond(best) * 1.1) return { best, ended };
    best = delivery;
  }
  return { best, ended: 0 };
}
