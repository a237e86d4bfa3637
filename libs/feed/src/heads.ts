import type { Clock } from '@orch/runtime/clock';
import type { ChangeSource, Head, TypeId } from '@orch/storage';
import type { FeedObserver } from './observer.js';

/** A head, and when (monotonic ms) the query that read it began. */
export interface HeadReading extends Head {
  /** Monotonic ms at which the query began. */
  readonly asOf: number;
}

interface Batch {
  readonly types: Set<TypeId>;
  callers: number;
  readonly result: Promise<ReadonlyMap<TypeId, HeadReading>>;
}

/** The queries of one database, one at a time. */
interface Lane {
  next: Batch | undefined;
  underWay: Promise<unknown>;
}

/**
 * Reads heads with one query at a time for each database: callers that arrive while one is in progress share the next,
 * and a database that does not answer delays only requests for its own types.
 */
export class Heads {
  readonly #lanes = new Map<number, Lane>();

  constructor(
    private readonly source: ChangeSource,
    private readonly clock: Clock,
    private readonly observer: FeedObserver,
  ) {}

  /** The head as of a moment after the call. @throws StoreUnavailableError */
  async read(type: TypeId): Promise<HeadReading> {
    const lane = this.#laneOf(type);
    const batch = lane.next ?? this.#gather(lane);
    batch.types.add(type);
    batch.callers++;
    const reading = (await batch.result).get(type);
    if (reading === undefined) throw new Error(`the database knows no type ${type}`);
    return reading;
  }

  #laneOf(type: TypeId): Lane {
    const database = this.source.database(type);
    const lane = this.#lanes.get(database) ?? { next: undefined, underWay: Promise.resolve() };
    this.#lanes.set(database, lane);
    return lane;
  }

  #gather(lane: Lane): Batch {
    const types = new Set<TypeId>();
    const result = lane.underWay.then(() => {
      lane.next = undefined;
      this.observer.headsRead?.(types.size, batch.callers);
      return this.#query([...types]);
    });
    lane.underWay = result.catch((error: unknown) => this.observer.failed?.(error));
    const batch: Batch = { types, callers: 0, result };
    lane.next = batch;
    return batch;
  }

  async #query(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, HeadReading>> {
    const asOf = this.clock.now();
    const heads = await this.source.heads(types);
    return new Map([...heads].map(([type, { head, floor }]) => [type, { head, floor, asOf }]));
  }
}
