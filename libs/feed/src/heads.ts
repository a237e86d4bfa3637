import type { Clock } from '@orch/runtime/clock';
import type { ChangeSource, Head, TypeId } from '@orch/storage';
import type { FeedObserver } from './observer.js';

/** A head, and when (monotonic ms) the query that read it began. */
export interface HeadReading extends Head {
  readonly asOf: number;
}

interface Batch {
  readonly types: Set<TypeId>;
  callers: number;
  readonly result: Promise<ReadonlyMap<TypeId, HeadReading>>;
}

/** Reads heads with one query at a time: callers that arrive while one is under way share the next. */
export class Heads {
  #next: Batch | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly source: ChangeSource,
    private readonly clock: Clock,
    private readonly observer: FeedObserver,
  ) {}

  /** The head as of a moment after the call. */
  async read(type: TypeId): Promise<HeadReading> {
    const batch = this.#next ?? this.#gather();
    batch.types.add(type);
    batch.callers++;
    const reading = (await batch.result).get(type);
    if (reading === undefined) throw new Error(`the database knows no type ${type}`);
    return reading;
  }

  #gather(): Batch {
    const types = new Set<TypeId>();
    const result = this.#underWay.then(() => {
      this.#next = undefined;
      this.observer.headsRead?.(types.size, batch.callers);
      return this.#query([...types]);
    });
    this.#underWay = result.catch((error: unknown) => this.observer.failed?.(error));
    const batch: Batch = { types, callers: 0, result };
    this.#next = batch;
    return batch;
  }

  async #query(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, HeadReading>> {
    const asOf = this.clock.now();
    const heads = await this.source.heads(types);
    return new Map([...heads].map(([type, { head, floor }]) => [type, { head, floor, asOf }]));
  }
}
