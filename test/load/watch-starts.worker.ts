import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import type { Endpoint } from './connection.js';
import { type Latency, latencyOf, now } from './summary.js';
import { type Close, openHttp1Watch, openHttp2Session, openHttp2Watch } from './watch-connections.js';
import { serve } from './worker.js';

/** Watches that are started and ended again, one after the other by each starter. */
export interface WatchStarts {
  readonly endpoint: Endpoint;
  readonly path: string;
  /** Each is the token of a starter. */
  readonly tokens: readonly string[];
  /** Until it is stopped when absent. */
  readonly seconds?: number;
  /** Starts a second of all together; as many as can be had when absent. */
  readonly rate?: number;
  /** Each watch on a connection of its own, or as a stream of the one that its user keeps, as most clients do. */
  readonly over: 'new connections' | 'kept connections';
}

/** From the first packet, of a connection where it is new, to the head of the answer. */
export interface StartsResult extends Latency {
  readonly done: number;
  readonly seconds: number;
}

const NOBODY = { data: () => undefined, ended: () => undefined };

/** Opens one watch. */
type Open = () => Promise<Close>;

async function start({ endpoint, path, tokens, seconds, rate, over }: WatchStarts): Promise<StartsResult> {
  const latencies: number[] = [];
  const { opens, close } = await (over === 'new connections' ? onNew : onKept)(endpoint, path, tokens);
  const began = now();
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : began + seconds * 1000;
  let next = 0;
  isStopped = false;
  const loop = async (open: Open) => {
    while (!isStopped && now() < end) {
      const due = rate === undefined ? began : began + (next++ * 1000) / rate;
      if (due >= end) return;
      if (rate !== undefined) await pause(Math.max(0, due - now()));
      const sent = now();
      const closeWatch = await open();
      latencies.push(now() - sent);
      closeWatch();
    }
  };
  await Promise.all(opens.map(loop));
  const took = now() - began;
  close();
  return { done: latencies.length, seconds: took / 1000, ...latencyOf(latencies) };
}

let isStopped = false;

/** Ends what was begun without a time. */
async function stop(): Promise<void> {
  isStopped = true;
}

/** How each of the starters opens its watches. */
interface Starters {
  readonly opens: readonly Open[];
  readonly close: Close;
}

const onNew = async (endpoint: Endpoint, path: string, tokens: readonly string[]): Promise<Starters> => ({
  opens: tokens.map((token) => () => openHttp1Watch({ ...endpoint, token }, path, NOBODY)),
  close: () => undefined,
});

async function onKept(endpoint: Endpoint, path: string, tokens: readonly string[]): Promise<Starters> {
  const users = [...new Set(tokens)];
  const kept = new Map(users.map((token) => [token, new KeptConnection({ ...endpoint, token }, path)]));
  await Promise.all([...kept.values()].map((connection) => connection.ready()));
  return {
    opens: tokens.map((token) => () => kept.get(token)?.open() ?? Promise.reject(new Error('no connection'))),
    close: () => {
      for (const connection of kept.values()) connection.close();
    },
  };
}

/** Watches that end on one connection before another one is taken: servers end one on which a thousand have been reset in a short time. */
const RESETS = 900;

class KeptConnection {
  readonly #sessions: Promise<ClientHttp2Session>[] = [];
  #opened = 0;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly path: string,
  ) {
    this.#sessions.push(openHttp2Session(endpoint));
  }

  async ready(): Promise<void> {
    await this.#sessions.at(-1);
  }

  async open(): Promise<Close> {
    if (this.#opened++ === RESETS) {
      this.#sessions.push(openHttp2Session(this.endpoint));
      this.#opened = 1;
    }
    const session = await this.#sessions.at(-1);
    if (!session) throw new Error('no connection');
    return openHttp2Watch(session, this.endpoint, this.path, NOBODY);
  }

  close(): void {
    for (const session of this.#sessions) void session.then((opened) => opened.destroy());
  }
}

const methods = { start, stop };
export type StartMethods = typeof methods;
serve(methods);
