import { setTimeout as pause } from 'node:timers/promises';
import { startBareSender } from './bare.js';
import { Connection, type Endpoint, requestBytes } from './connection.js';
import type { Measurement } from './report.js';
import { fill, requestWorker, type StageSettings } from './request-stages.js';
import { inNamespace, type Resource } from './resource.js';
import { now } from './summary.js';
import type { Target } from './target.js';
import type { WatchMethods, WatchReading } from './watchers.worker.js';
import { Worker } from './worker.js';

const HERD_WATCHERS = 200;
const HERD_OBJECTS = 2_000;
/** Objects that the writers of the fan-out go round. */
const HOT_OBJECTS = 64;
/** Writes per second that are tried for the highest rate of deliveries. */
const WRITE_RATES = [50, 150, 500, 1500];
const QUIET_RATE = 20;
/** The streams count as settled when no byte came for so long. */
const SETTLED_MS = 400;
const SETTLE_LIMIT_MS = 20_000;
const HERD_LIMIT_MS = 300_000;

const watchWorker = () => new Worker<WatchMethods>(new URL('./watchers.worker.ts', import.meta.url));

export interface WatchStageSettings extends StageSettings {
  readonly watchers: number;
}

/**
 * Resident memory that idle watchers add. As many are opened before, so that what a server grows by once is not
 * counted.
 */
export async function idleStage({ target, run, watchers }: WatchStageSettings): Promise<Measurement[]> {
  const { endpoint } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-idle`);
  const receiver = watchWorker();
  try {
    const path = await watchPath(endpoint, resource);
    await receiver.call('open', { endpoint, path, watchers, count: 'bytes' });
    const before = await settledMemory(target);
    await receiver.call('open', { endpoint, path, watchers, count: 'bytes' });
    const added = (await settledMemory(target)) - before;
    return [{ name: `${watchers} watchers, idle: RSS of each`, unit: 'KiB', value: added / watchers / 1024 }];
  } finally {
    receiver.stop();
  }
}

/** Resident memory some time after a change: collecting garbage is a matter of time on many servers. */
async function settledMemory({ processes }: Target): Promise<number> {
  const SETTLING_MS = 3_000;
  await pause(SETTLING_MS);
  return processes.residentBytes();
}

/** Deliveries to many watchers under little and under much load. */
export async function fanOutStages(settings: WatchStageSettings): Promise<Measurement[]> {
  const { target, run, watchers } = settings;
  const { endpoint } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-fan`);
  const writer = requestWorker();
  const receiver = watchWorker();
  try {
    await fill(writer, { ...target, resource }, HOT_OBJECTS);
    const path = await watchPath(endpoint, resource);
    await receiver.call('open', { endpoint, path, watchers, count: 'latency' });
    const quiet = await quietFanOut(settings, resource, writer, receiver);
    await receiver.call('close', undefined as never);
    await receiver.call('open', { endpoint, path: await watchPath(endpoint, resource), watchers, count: 'bytes' });
    return [...quiet, ...(await loadedFanOut(settings, resource, writer, receiver))];
  } finally {
    writer.stop();
    receiver.stop();
  }
}

/** A collection's watch from its present version: nothing to be told at first. */
async function watchPath(endpoint: Endpoint, resource: Resource): Promise<string> {
  const connection = await Connection.open(endpoint);
  const answer = await connection.request(requestBytes(endpoint, 'GET', `${resource.path}?limit=1`), true);
  connection.close();
  const version = /"resourceVersion":"(\d+)"/.exec(answer.body.toString())?.[1] ?? '';
  return `${resource.path}?watch=1&resourceVersion=${version}`;
}

type Writer = ReturnType<typeof requestWorker>;
type Receiver = ReturnType<typeof watchWorker>;

/** 20 writes a second: how long an event takes, and what one costs when it comes alone. */
async function quietFanOut(
  { target, seconds, watchers }: WatchStageSettings,
  resource: Resource,
  writer: Writer,
  receiver: Receiver,
): Promise<Measurement[]> {
  const { reading, cpu } = await delivered({ ...target, resource }, writer, receiver, QUIET_RATE, seconds);
  const missing = QUIET_RATE > 0 && reading.fewest < Math.floor(reading.events / watchers);
  if (missing || reading.ended > 0) throw new Error(`a watcher got ${reading.fewest} events, ${reading.ended} ended`);
  const bytes = Math.round(reading.bytes / reading.events);
  const bare = await bareCost(target.endpoint, watchers, bytes, Math.round(reading.events / watchers));
  const name = `${watchers} watchers, ${QUIET_RATE} writes/s`;
  return [
    { name: `${name}: latency p50`, unit: 'ms', value: reading.latency.p50 },
    { name: `${name}: latency p99`, unit: 'ms', value: reading.latency.p99 },
    { name: `${name}: server CPU`, unit: 'µs/event', value: cpu / reading.events },
    { name: `${name}: CPU to that of a bare sender`, unit: '×', value: cpu / reading.events / bare },
  ];
}

/** More and more writes a second until deliveries no longer rise; the best is reported. */
async function loadedFanOut(
  { target, seconds, watchers }: WatchStageSettings,
  resource: Resource,
  writer: Writer,
  receiver: Receiver,
): Promise<Measurement[]> {
  let best = { rate: 0, perEvent: Number.NaN, bytes: 0, ended: 0 };
  for (const writes of WRITE_RATES) {
    const { reading, cpu, elapsed } = await delivered({ ...target, resource }, writer, receiver, writes, seconds);
    const rate = (reading.events / elapsed) * 1000;
    const { ended } = reading;
    if (rate < best.rate * 1.1 || ended > 0) {
      best = { ...best, ended };
      break;
    }
    best = { rate, perEvent: cpu / reading.events, bytes: Math.round(reading.bytes / reading.events), ended };
  }
  const GATHERED = 10;
  const bare = await bareCost(target.endpoint, watchers, best.bytes * GATHERED, 30);
  const name = `${watchers} watchers, loaded`;
  return [
    { name: `${name}: deliveries`, unit: 'events/s', value: best.rate },
    { name: `${name}: server CPU`, unit: 'µs/event', value: best.perEvent },
    { name: `${name}: CPU to that of a bare sender`, unit: '×', value: best.perEvent / (bare / GATHERED) },
    { name: `${name}: streams ended by the server`, unit: '', value: best.ended },
  ];
}

interface Delivery {
  readonly reading: WatchReading;
  /** Server's CPU time in microseconds. */
  readonly cpu: number;
  /** From the first write to the last byte, in milliseconds. */
  readonly elapsed: number;
}

async function delivered(
  target: Target,
  writer: Writer,
  receiver: Receiver,
  rate: number,
  seconds: number,
): Promise<Delivery> {
  const { endpoint, resource, processes } = target;
  await receiver.call('reset', undefined as never);
  const cpu = processes.cpuMicroseconds();
  const start = now();
  const requesters = rate < 100 ? 4 : 16;
  const load = {
    endpoint,
    resource,
    verb: 'update',
    prefix: 'o',
    objects: HOT_OBJECTS,
    requesters,
    seconds,
    rate,
  } as const;
  const { failed, done } = await writer.call('run', load);
  if (failed > 0) throw new Error(`${failed} of ${done} writes failed`);
  const reading = await settled(receiver);
  return { reading, cpu: processes.cpuMicroseconds() - cpu, elapsed: reading.last - start };
}

/** Waits until nothing comes any more. */
async function settled(receiver: Receiver): Promise<WatchReading> {
  const deadline = now() + SETTLE_LIMIT_MS;
  for (;;) {
    const reading = await receiver.call('read', undefined as never);
    if (now() - reading.last > SETTLED_MS || now() > deadline) return reading;
    await pause(50);
  }
}

/** CPU time in microseconds that a bare sender takes for one write of so many bytes to one of so many sockets. */
async function bareCost(endpoint: Endpoint, sockets: number, writeBytes: number, writes: number): Promise<number> {
  const sender = await startBareSender(endpoint);
  const receiver = watchWorker();
  try {
    await receiver.call('open', { endpoint: sender.endpoint, path: '/', watchers: sockets, count: 'bytes' });
    const { cpuMicroseconds } = await sender.worker.call('send', { writeBytes, writes });
    return cpuMicroseconds / (writes * sockets);
  } finally {
    receiver.stop();
    sender.worker.stop();
  }
}

/** Watchers that all start from nothing at once, as after a failure: the state of 2,000 objects to each of 200. */
export async function herdStage({ target, run }: StageSettings): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const resource = await inNamespace(endpoint, target.resource, `${run}-herd`);
  const writer = requestWorker();
  const receiver = watchWorker();
  try {
    await fill(writer, { ...target, resource }, HERD_OBJECTS);
    const cpu = processes.cpuMicroseconds();
    const start = now();
    const path = `${resource.path}?watch=1`;
    await receiver.call('open', { endpoint, path, watchers: HERD_WATCHERS, atOnce: HERD_WATCHERS, count: 'events' });
    let reading = await settled(receiver);
    while (reading.fewest < HERD_OBJECTS && now() - start < HERD_LIMIT_MS) reading = await settled(receiver);
    if (reading.fewest < HERD_OBJECTS) throw new Error(`a watcher got ${reading.fewest} of ${HERD_OBJECTS} objects`);
    const name = `herd, ${HERD_WATCHERS} watchers × ${HERD_OBJECTS} objects`;
    return [
      { name, unit: 'ms', value: reading.last - start },
      { name: `${name}: server CPU`, unit: 'µs/event', value: (processes.cpuMicroseconds() - cpu) / reading.events },
    ];
  } finally {
    writer.stop();
    receiver.stop();
  }
}
