import { setTimeout as pause } from 'node:timers/promises';
import type { Endpoint } from './connection.js';
import { type Latency, latencyOf, now } from './summary.js';
import { openHttp1Watch } from './watch-connections.js';
import { serve } from './worker.js';

/** Watches that are started and ended again, one after the other by each starter. */
export interface WatchStarts {
  readonly endpoint: Endpoint;
  readonly path: string;
  /** Each is the token of a starter. */
  readonly tokens: readonly string[];
  readonly seconds: number;
  /** Starts a second of all together; as many as can be had when absent. */
  readonly rate?: number;
}

/** From the first packet of a connection to the head of the answer. */
export interface StartsResult extends Latency {
  readonly done: number;
  readonly seconds: number;
}

const NOBODY = { data: () => undefined, ended: () => undefined };

async function start({ endpoint, path, tokens, seconds, rate }: WatchStarts): Promise<StartsResult> {
  const latencies: number[] = [];
  const began = now();
  const end = began + seconds * 1000;
  let next = 0;
  const loop = async (token: string) => {
    while (now() < end) {
      const index = next++;
      if (rate !== undefined) await pause(Math.max(0, began + (index * 1000) / rate - now()));
      const sent = now();
      const close = await openHttp1Watch({ ...endpoint, token }, path, NOBODY);
      latencies.push(now() - sent);
      close();
    }
  };
  await Promise.all(tokens.map(loop));
  return { done: latencies.length, seconds: (now() - began) / 1000, ...latencyOf(latencies) };
}

const methods = { start };
export type StartMethods = typeof methods;
serve(methods);
