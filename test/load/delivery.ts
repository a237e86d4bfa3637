import { startBareSender } from './bare.js';
import type { Endpoint } from './connection.js';
import { Receivers, type WatchReading } from './receivers.js';
import { type RequestWorker, requestWorker } from './requests.js';
import { presentVersion, type Resource } from './resource.js';
import { now } from './summary.js';
import type { Target } from './target.js';
import type { Counting } from './watchers.worker.js';

/** Objects that the writers of a fan-out go round. */
export const HOT_OBJECTS = 64;
/** Up to this rate few writers keep up; more would only wait. */
const FEW_WRITES = 100;

/** Writers and watchers of one collection. */
export interface Traffic {
  readonly writer: RequestWorker;
  readonly receivers: Receivers;
}

/** Runs something with writers and watchers in processes of their own, and ends those. */
export async function withTraffic<T>(run: (traffic: Traffic) => Promise<T>): Promise<T> {
  const traffic = { writer: requestWorker(), receivers: new Receivers() };
  try {
    return await run(traffic);
  } finally {
    traffic.writer.stop();
    traffic.receivers.stop();
  }
}

/** A collection's watch from its present version: nothing to be told at first. `query` is what comes besides. */
export async function watchPath(endpoint: Endpoint, resource: Resource, query = ''): Promise<string> {
  return `${resource.path}?watch=1&resourceVersion=${await presentVersion(endpoint, resource)}${query}`;
}

export interface Delivery {
  readonly reading: WatchReading;
  /** Server's CPU time in microseconds. */
  readonly cpu: number;
  /** From the first write to the last byte, in milliseconds. */
  readonly elapsed: number;
  readonly writes: number;
  /** Writes per second that were reached. */
  readonly rate: number;
}

export interface Load {
  /** Writes per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly count: Counting;
  /** Objects written to, named o-0 and so on; 64 when absent. */
  readonly objects?: number;
}

/** Updates objects at a rate and waits until everything has been delivered. The server's processes are the target's. */
export async function deliver({ writer, receivers }: Traffic, target: Target, load: Load): Promise<Delivery> {
  const { endpoint, resource, processes } = target;
  const { rate, seconds, count, objects = HOT_OBJECTS } = load;
  await receivers.reset(count);
  const cpu = processes.cpuMicroseconds();
  const start = now();
  const requesters = rate < FEW_WRITES ? 4 : 64;
  const writing = { endpoint, resource, verb: 'update', prefix: 'o', objects, requesters, seconds, rate } as const;
  const { failed, done, seconds: took } = await writer.call('run', writing);
  if (failed > 0) throw new Error(`${failed} of ${done} writes failed`);
  const reading = await receivers.settled();
  return {
    reading,
    cpu: processes.cpuMicroseconds() - cpu,
    elapsed: reading.last - start,
    writes: done,
    rate: done / took,
  };
}

/** Throws when a watcher did not get every event, or lost its stream. */
export function assertComplete({ reading, writes }: Delivery): void {
  if (reading.fewest < writes || reading.ended > 0) {
    throw new Error(`a watcher got ${reading.fewest} of ${writes} events, ${reading.ended} streams ended`);
  }
}

export interface BareLoad {
  readonly sockets: number;
  readonly writeBytes: number;
  /** Writes to each socket. */
  readonly writes: number;
  /** Rounds of writes per second, as the load that it is compared with has; without a pause when absent. */
  readonly rate?: number;
}

/** CPU time in microseconds that a bare sender takes for one write to one socket. */
export async function bareCost(endpoint: Endpoint, { sockets, ...load }: BareLoad): Promise<number> {
  const sender = await startBareSender(endpoint);
  const receivers = new Receivers();
  try {
    await receivers.open({ endpoint: sender.endpoint, paths: ['/'], watchers: sockets });
    const { cpuMicroseconds } = await sender.worker.call('send', load);
    return cpuMicroseconds / (load.writes * sockets);
  } finally {
    receivers.stop();
    sender.worker.stop();
  }
}
