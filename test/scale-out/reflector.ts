import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Api, ApiList } from '../support/api.js';
import type { WatchEvent } from '../support/watch-stream.js';

/** Milliseconds between a stream's end and the next request, as short as a client in a hurry would have it. */
const AGAIN_MS = 100;

/** Numbers of lists and watches that the reflector needed. */
export interface ReflectorCounts {
  /** Collections fetched after the first. */
  lists: number;
  /** Answers and events with code 410. */
  gone: number;
  /** Streams that were opened. */
  streams: number;
  /** Streams that were cut, not ended. */
  cut: number;
  /** Answers that asked to come again, and requests without an answer. */
  refused: number;
}

/** The versions of a collection's objects, by name, and the version of the whole. */
export interface Listed {
  readonly version: string;
  readonly objects: ReadonlyMap<string, string>;
}

export async function list(api: Api, path: string): Promise<Listed> {
  const answer = await api.get(path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  const { metadata, items } = answer.json<ApiList>();
  const objects = new Map(items.map((item) => [item.metadata.name, item.metadata.resourceVersion]));
  return { version: metadata.resourceVersion, objects };
}

/**
 * Follows a collection as an informer does: from a list on by watches, each from the version that the last one reached, a
 * new list only when the server says that history is gone. Notes every order that a watch must not show.
 */
export class Reflector {
  readonly counts: ReflectorCounts = { lists: 0, gone: 0, streams: 0, cut: 0, refused: 0 };
  /** Violations by a watch, in words; empty if there are none. */
  readonly violations: string[] = [];
  /** Why requests were refused, and how often. */
  readonly refusals = new Map<string, number>();
  readonly #api: Api;
  readonly #path: string;
  #objects: Map<string, string>;
  #version: string;
  #stopped = false;
  #current: IncomingMessage | undefined;
  readonly #finished: Promise<void>;

  constructor(api: Api, path: string, { version, objects }: Listed) {
    this.#api = api;
    this.#path = path;
    this.#version = version;
    this.#objects = new Map(objects);
    this.#finished = this.#follow();
  }

  /** Versions by name, as far as they are known. */
  get objects(): ReadonlyMap<string, string> {
    return this.#objects;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#current?.destroy();
    await this.#finished;
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#watch();
      } catch (error) {
        if (!this.#stopped) this.#refused(String(error));
      }
      if (!this.#stopped) await pause(AGAIN_MS);
    }
  }

  async #watch(): Promise<void> {
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=600&resourceVersion=${this.#version}`;
    const message = await this.#api.open('GET', `${this.#path}?${query}`, {});
    this.#current = message;
    if (this.#stopped) message.destroy();
    const status = message.statusCode ?? 0;
    if (status === 200) {
      this.counts.streams++;
      return this.#read(message);
    }
    message.resume();
    if (status === 410) await this.#startOver();
    else this.#refused(`${status}`);
  }

  async #read(message: IncomingMessage): Promise<void> {
    let text = '';
    message.setEncoding('utf8');
    try {
      for await (const piece of message) {
        const lines = (text + piece).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) await this.#take(JSON.parse(line) as WatchEvent);
      }
    } catch (error) {
      if (message.complete) throw error;
      if (!this.#stopped) this.counts.cut++;
    }
  }

  #refused(why: string): void {
    this.counts.refused++;
    this.refusals.set(why, (this.refusals.get(why) ?? 0) + 1);
  }

  async #take({ type, object }: WatchEvent): Promise<void> {
    if (type === 'ERROR') {
      if (object.code !== 410) this.violations.push(`an error: ${JSON.stringify(object)}`);
      return this.#startOver();
    }
    const { name, resourceVersion } = object.metadata;
    // A bookmark may say again where the stream is; an event may not.
    const order = BigInt(resourceVersion) - BigInt(this.#version);
    if (order < 0n || (order === 0n && type !== 'BOOKMARK')) {
      this.violations.push(`${type} of ${name} at ${resourceVersion} after ${this.#version}`);
    }
    this.#version = resourceVersion;
    if (type === 'DELETED') this.#objects.delete(name);
    else if (type !== 'BOOKMARK') this.#objects.set(name, resourceVersion);
  }

  async #startOver(): Promise<void> {
    this.counts.gone++;
    this.counts.lists++;
    const { version, objects } = await list(this.#api, this.#path);
    this.#version = version;
    this.#objects = new Map(objects);
  }
}

/** The counts of all, added up. */
export function total(reflectors: readonly Reflector[]): ReflectorCounts {
  const sum = { lists: 0, gone: 0, streams: 0, cut: 0, refused: 0 };
  for (const { counts } of reflectors) {
    for (const key of Object.keys(sum) as (keyof ReflectorCounts)[]) sum[key] += counts[key];
  }
  return sum;
}

/** Why requests of all were refused, and how often. */
export function refusalsOf(reflectors: readonly Reflector[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { refusals } of reflectors) {
    for (const [why, times] of refusals) sum[why] = (sum[why] ?? 0) + times;
  }
  return sum;
}
