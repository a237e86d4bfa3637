import type { Pool } from '../connections/pool.js';
import type { TypeId, Version } from '../face/key.js';
import type { CompleteOptions } from '../face/options.js';
import type { Head } from '../face/store.js';
import { Gatherer } from '../writes/gatherer.js';
import { type BatchingReader, unknownType } from './reader.js';

/** Waits in the queue of the writers (migrations/0004-lanes-pages-heartbeat-keys/1-lanes.sql). */
const AWAIT_LANE = 'SELECT await_lane($1)';

/**
 * Reads heads that are behind all writes in flight. A version that the head has passed needs no wait; for the others,
 * one waiter of each type stands in the queue of the writers, for all callers that came before it got there.
 */
export class SettledHeads {
  readonly #waits = new Map<TypeId, Gatherer<undefined, undefined>>();

  constructor(
    private readonly pool: Pool,
    private readonly reader: BatchingReader,
    private readonly options: CompleteOptions,
  ) {}

  async reach(type: TypeId, version: Version): Promise<Head> {
    const head = await this.#head(type);
    if (head.head >= version) return head;
    await this.#writesInFlight(type);
    return this.#head(type);
  }

  async #head(type: TypeId): Promise<Head> {
    const head = (await this.reader.heads([type])).get(type);
    if (!head) throw unknownType(type);
    return head;
  }

  async #writesInFlight(type: TypeId): Promise<void> {
    const { waiting } = this.options;
    const wait =
      this.#waits.get(type) ??
      new Gatherer((all: readonly undefined[]) => this.#await(type, all), {
        items: waiting,
        bytes: 1,
        sizeOf: () => 0,
        waiting,
      });
    this.#waits.set(type, wait);
    try {
      await wait.add(undefined);
    } finally {
      if (wait.idle && this.#waits.get(type) === wait) this.#waits.delete(type);
    }
  }

  async #await(type: TypeId, all: readonly undefined[]): Promise<readonly undefined[]> {
    await this.pool.use((connection) => connection.statement('await_lane', AWAIT_LANE, [type]));
    return all;
  }
}
