import { setTimeout as pause } from 'node:timers/promises';
import { Api } from '../../support/api.js';
import { rest } from '../traffic/context.js';
import type { Stage } from './stage.js';

/** Collection of a type whose bodies are sent over NATS. */
const COLLECTION = '/api/v1/namespaces/default/serviceaccounts';
const NAME = 'probe';

export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface ProbeReport {
  /** Milliseconds from a write's start to its answer, of those that were answered well. */
  readonly writes: Latencies;
  /** Milliseconds from a write's start to its event, over all streams. */
  readonly events: Latencies;
  readonly failedWrites: number;
}

interface Samples {
  readonly writes: number[];
  readonly events: number[];
  failedWrites: number;
}

/**
 * Writes one object again and again through one api-server and watches it at every gateway, to time both. Streams that
 * break are resumed from their last version.
 */
export class Probe {
  #samples: Samples = empty();
  readonly #started = new Map<number, { at: number; samples: Samples }>();
  readonly #ended = new AbortController();
  readonly #running: Promise<unknown>;
  #serial = 0;

  private constructor(
    private readonly writer: Api,
    private readonly watchers: readonly Api[],
    version: string,
    private readonly everyMs: number,
  ) {
    this.#running = Promise.all([this.#write(), ...watchers.map((api) => this.#watch(api, version))]);
  }

  /** @param gateways addresses; all gateways when absent */
  static async start(
    { cluster, signal }: Stage,
    { apiServer = 0, gateways = cluster.gatewayUrls, everyMs = 20 } = {},
  ): Promise<Probe> {
    const client = (url: string) => new Api({ url, ca: cluster.ca, token: cluster.token });
    const writer = client(cluster.apiServerUrls[apiServer] ?? cluster.url);
    const made = await writer.post(COLLECTION, { metadata: { name: NAME } });
    if (made.status !== 201) throw new Error(`the probe could not begin: ${made.status} ${made.text}`);
    const probe = new Probe(writer, gateways.map(client), made.json().metadata.resourceVersion, everyMs);
    signal.addEventListener('abort', () => void probe.stop());
    return probe;
  }

  /**
   * Returns the measurements since the last call (or the start). Probes under way count in the interval in which they
   * end.
   */
  take(): ProbeReport {
    const { writes, events, failedWrites } = this.#samples;
    this.#samples = empty();
    return { writes: latencies(writes), events: latencies(events), failedWrites };
  }

  /** Measures for so long. */
  async during(ms: number): Promise<ProbeReport> {
    this.take();
    await rest(ms, this.#ended.signal);
    return this.take();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    for (const api of [this.writer, ...this.watchers]) api.close();
    await this.#running;
  }

  async #write(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const serial = this.#serial++;
      const samples = this.#samples;
      const at = performance.now();
      this.#started.set(serial, { at, samples });
      const body = { metadata: { annotations: { serial: String(serial) } } };
      const answer = await this.writer.patch(`${COLLECTION}/${NAME}`, 'merge', body).catch(() => undefined);
      if (answer?.status === 200) samples.writes.push(performance.now() - at);
      else samples.failedWrites++;
      await rest(this.everyMs, this.#ended.signal);
    }
  }

  async #watch(api: Api, after: string): Promise<void> {
    let version = after;
    while (!this.#ended.signal.aborted) {
      const path = `${COLLECTION}?watch=1&fieldSelector=metadata.name%3D${NAME}&resourceVersion=${version}`;
      const stream = await api.watch(path).catch(() => undefined);
      for (let event = await stream?.next(); event; event = await stream?.next()) {
        version = event.object.metadata.resourceVersion ?? version;
        const started = this.#started.get(Number(event.object.metadata.annotations?.serial));
        started?.samples.events.push(performance.now() - started.at);
      }
      await pause(50);
    }
  }
}

const empty = (): Samples => ({ writes: [], events: [], failedWrites: 0 });

export function latencies(samples: readonly number[]): Latencies {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}
