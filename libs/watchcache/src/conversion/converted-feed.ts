import { type FeedSink, type Following, FollowingEndedError, type OrderedFeed, type ResetReason } from '@orch/feed';
import type { Clock } from '@orch/runtime/clock';
import { Backoff } from '@orch/runtime/work';
import type { Change, TypeId, Version } from '@orch/storage';
import { type BodyConversion, type ConvertedChange, convertAll, servedBy } from './body-conversion.js';

/** Receiver of converted changes; some may be in their stored version after a failure. */
export interface ServedSink extends Omit<FeedSink, 'changes'> {
  changes(changes: readonly ConvertedChange[]): void;
}

/** The part of a feed that a cache needs. */
export interface Followable {
  follow(type: TypeId, after: Version, sink: ServedSink): Following;
}

interface ConvertedFeedOptions {
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly conversion: BodyConversion;
  readonly clock: Clock;
  /**
   * Bytes of changes, bodies and overhead, that may wait for their conversion; beyond them the state is read again when
   * that is possible. Default 32 MiB.
   */
  readonly maxWaitingBytes?: number;
  /** Called when a conversion fails; it is retried. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A feed whose changes are in one served version: the same sequence, later. */
export class ConvertedFeed implements Followable {
  constructor(private readonly options: ConvertedFeedOptions) {}

  follow(type: TypeId, after: Version, sink: ServedSink): Following {
    return new ConvertedFollowing(type, after, sink, this.options);
  }
}

/** A head up to which everything was delivered; it queues behind changes to convert. */
interface Confirmed {
  readonly head: Version;
  readonly asOf: number;
}

/** An entry of the queue, in order. */
type Waiting = { readonly changes: readonly Change[]; readonly bytes: number } | { readonly confirmed: Confirmed };

/** Bytes of a change beside its body. */
const CHANGE_OVERHEAD = 600;
/** Waits until changes that could not be converted are converted again, milliseconds. */
const RETRY = { firstMs: 50, longestMs: 2_000 };

/** Converts in order, one call at a time: changes that arrive meanwhile go with the next. */
class ConvertedFollowing implements Following {
  readonly #inner: Following;
  #delivered: Version;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #running = false;
  #ended = false;
  #confirmedAt: number | undefined;
  #confirmations: { head: Version; resolve: (head: Version) => void; reject: (error: Error) => void }[] = [];

  constructor(
    private readonly type: TypeId,
    after: Version,
    private readonly sink: ServedSink,
    private readonly options: ConvertedFeedOptions,
  ) {
    this.#delivered = after;
    this.#inner = options.feed.follow(type, after, {
      changes: (changes) => this.#take(changes),
      confirmed: (head, asOf) => this.#takeConfirmed({ head, asOf }),
      reset: (reason) => this.#reset(reason),
    });
  }

  get delivered(): Version {
    return this.#delivered;
  }

  get confirmedAt(): number | undefined {
    return this.#confirmedAt;
  }

  async confirm(): Promise<Version> {
    const head = await this.#inner.confirm();
    if (this.#ended) throw new FollowingEndedError('the subscription has ended');
    if (this.#delivered >= head) return head;
    return new Promise((resolve, reject) => this.#confirmations.push({ head, resolve, reject }));
  }

  close(): void {
    this.#inner.close();
    this.#end('the subscription was closed');
  }

  #take(changes: readonly Change[]): void {
    const bytes = changes.reduce((sum, { body }) => sum + body.length + CHANGE_OVERHEAD, 0);
    this.#bytes += bytes;
    if (this.#bytes <= (this.options.maxWaitingBytes ?? 32 << 20)) this.#enqueue({ changes, bytes });
    // It is too far behind for its changes to be kept.
    else this.#startOver();
  }

  /** Heads are confirmed as often as they are read, even while a conversion fails: the newest implies earlier ones. */
  #takeConfirmed(confirmed: Confirmed): void {
    const last = this.#waiting.at(-1);
    if (last !== undefined && 'confirmed' in last) this.#waiting.pop();
    this.#enqueue({ confirmed });
  }

  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (!this.#running) void this.#run();
  }

  #startOver(): void {
    this.#inner.close();
    this.#reset('expired');
  }

  #reset(reason: ResetReason): void {
    if (this.#ended) return;
    this.#end(`the subscription was reset (${reason})`);
    this.sink.reset(reason);
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#running = true;
    const backoff = new Backoff(RETRY);
    while (this.#waiting.length > 0 && !this.#ended) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#deliver(batch);
        backoff.reset();
      } catch (error) {
        this.#waiting = [...batch, ...this.#waiting];
        this.options.onError?.(error);
        await this.#pause(backoff.next());
      }
    }
    this.#running = false;
  }

  /** Rejects when the conversion fails, with nothing delivered. */
  async #deliver(batch: readonly Waiting[]): Promise<void> {
    const { conversion } = this.options;
    const changes = batch.flatMap((waiting) => ('changes' in waiting ? waiting.changes : []));
    const converted = await convertAll(conversion, this.type, changes);
    let next = 0;
    for (const waiting of batch) {
      if (this.#ended) return;
      if ('confirmed' in waiting) this.#confirm(waiting.confirmed);
      else {
        const from = next;
        next += waiting.changes.length;
        this.#hand(waiting, converted.slice(from, next));
      }
    }
  }

  #hand(
    { changes, bytes }: Extract<Waiting, { changes: unknown }>,
    bodies: readonly (Buffer | Error | undefined)[],
  ): void {
    this.#bytes -= bytes;
    const { conversion } = this.options;
    try {
      this.sink.changes(changes.map((change, i) => servedBy(conversion, change, bodies[i])));
    } catch (error) {
      // A consumer that throws has lost its position.
      this.options.onError?.(error);
      this.#startOver();
      return;
    }
    this.#delivered = changes.at(-1)?.version ?? this.#delivered;
    const due = this.#confirmations.filter(({ head }) => head <= this.#delivered);
    this.#confirmations = this.#confirmations.filter(({ head }) => head > this.#delivered);
    for (const { head, resolve } of due) resolve(head);
  }

  #confirm({ head, asOf }: Confirmed): void {
    this.#confirmedAt = asOf;
    this.sink.confirmed(head, asOf);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.options.clock.after(ms, resolve);
    });
  }

  #end(why: string): void {
    this.#ended = true;
    this.#waiting = [];
    for (const { reject } of this.#confirmations) reject(new FollowingEndedError(why));
    this.#confirmations = [];
  }
}
