import type { ApiObject } from '@orch/machinery';
import type { Api } from '../../support/api.js';
import { rest } from '../traffic/context.js';

const EVERY_MS = 50;
/** Collection of a type that no other check uses. */
const COLLECTION = '/api/v1/namespaces/default/serviceaccounts';
const NAME = 'control';

/** How far behind a server was with an object that no definition has to do with, and how long it took to say so. */
export interface Lag {
  readonly server: string;
  /** Monotonic ms of the request. */
  readonly start: number;
  readonly end: number;
  readonly ms: number;
}

/** How long a machine, and whatever else is not to be judged, held up a server between two moments, ms. @param server any where absent */
export type Delay = (from: number, to: number, server?: string) => number;

/** Nothing holds up anybody. */
export const NO_DELAY: Delay = () => 0;

/** The longest of those that were measured at some time between. */
export const delayOf =
  (lags: readonly Lag[]): Delay =>
  (from, to, server) =>
    lags.reduce((most, lag) => {
      const counts = (server === undefined || lag.server === server) && lag.end >= from && lag.start <= to;
      return counts ? Math.max(most, lag.ms) : most;
    }, 0);

/**
 * Changes an ordinary object again and again, and asks each server for what it has in memory: what comes as late there as a change of
 * a definition was held up by the machine, not by what is judged.
 */
export class ControlSeries {
  readonly lags: Lag[] = [];
  /** When the change of each number was answered, monotonic ms. */
  readonly #answered: number[] = [];
  readonly #ended = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  /** @param writer through which the object is changed */
  constructor(
    private readonly writer: Api,
    private readonly servers: readonly { readonly name: string; readonly api: Api }[],
  ) {}

  async start(): Promise<void> {
    const made = await this.writer.post(COLLECTION, { metadata: { name: NAME, annotations: { number: '0' } } });
    if (made.status !== 201) throw new Error(`the control series could not begin: ${made.status} ${made.text}`);
    this.#answered.push(performance.now());
    this.#running = Promise.all([this.#write(), ...this.servers.map(({ name, api }) => this.#look(name, api))]);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #write(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const metadata = { annotations: { number: String(this.#answered.length) } };
      const answer = await this.writer.patch(`${COLLECTION}/${NAME}`, 'merge', { metadata }).catch(() => undefined);
      if (answer?.status === 200) this.#answered.push(performance.now());
      await rest(EVERY_MS, this.#ended.signal);
    }
  }

  async #look(server: string, api: Api): Promise<void> {
    const path = `${COLLECTION}?resourceVersion=0&fieldSelector=metadata.name%3D${NAME}`;
    while (!this.#ended.signal.aborted) {
      const start = performance.now();
      const answer = await api.get(path).catch(() => undefined);
      const end = performance.now();
      const [found] = answer?.status === 200 ? answer.json<{ items: ApiObject[] }>().items : [];
      const next = this.#answered[Number(found?.metadata?.annotations?.number ?? 0) + 1] ?? start;
      this.lags.push({ server, start, end, ms: Math.max(0, start - next) + end - start });
      await rest(EVERY_MS, this.#ended.signal);
    }
  }
}
