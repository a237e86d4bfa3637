import type { Clock } from '@orch/runtime/clock';
import { Backoff } from '@orch/runtime/work';
import { type Change, type ChangeSource, HistoryExpiredError, type TypeId, type Version } from '@orch/storage';
import { type AnnouncedChange, type FeedSink, type Following, FollowingEndedError, type ResetReason } from './feed.js';
import type { HeadReading, Heads } from './heads.js';
import type { FeedObserver } from './observer.js';
import { UnconfirmedHeads } from './unconfirmed.js';
import { PendingAnnouncements } from './waiting.js';

/** Objects that the followers of a feed share. */
export interface FollowerContext {
  readonly source: ChangeSource;
  readonly heads: Heads;
  readonly clock: Clock;
  readonly observer: FeedObserver;
  /** Whether announcements are expected to arrive. */
  readonly busHealthy: () => boolean;
  /** Milliseconds to wait for a missing predecessor before the database is read. */
  readonly reorderWait: number;
  /** Changes read from the database at a time. */
  readonly pageSize: number;
  /** Longest pause (ms) between attempts to read a failing database. */
  readonly maxBackoff: number;
}

/** First wait until changes that could not be read are read again, milliseconds. */
const FIRST_RETRY_MS = 50;
/** Milliseconds for which unreadable changes are retried before confirmations fail. */
const PATIENCE = 1_000;

/**
 * Orders the changes of one type for one consumer. Announcements that continue the chain are delivered at once; others
 * wait a moment for their predecessor; then the gap is read from the database. Meanwhile, everything that arrives
 * waits.
 */
export class Follower implements Following {
  #delivered: Version;
  /** The highest version known to exist. */
  #target: Version;
  #waiting = new PendingAnnouncements();
  #healing = false;
  /** Why changes have been unreadable for longer than {@link PATIENCE}; undefined as long as they are readable. */
  #failure: Error | undefined;
  #ended = false;
  #cancelWait: (() => void) | undefined;
  #confirmedAt: number | undefined;
  /** Monotonic ms. */
  readonly begunAt: number;
  readonly #unconfirmed = new UnconfirmedHeads();
  #confirmations: { version: Version; resolve: (version: Version) => void; reject: (error: Error) => void }[] = [];

  constructor(
    readonly type: TypeId,
    after: Version,
    private readonly sink: FeedSink,
    private readonly context: FollowerContext,
    private readonly onEnd: (follower: Follower) => void,
  ) {
    this.#delivered = after;
    this.#target = after;
    this.begunAt = context.clock.now();
  }

  /** Version of the last change that was delivered. */
  get delivered(): Version {
    return this.#delivered;
  }

  get confirmedAt(): number | undefined {
    return this.#confirmedAt;
  }

  /** Ends the subscription. */
  close(): void {
    this.#end('the subscription was closed');
  }

  /** Takes announcements in any order. */
  announced(changes: readonly AnnouncedChange[]): void {
    if (this.#ended) return;
    for (const { version } of changes) this.context.source.noteAnnounced(this.type, version);
    const ready: Change[] = [];
    let repeats = 0;
    let at = this.#delivered;
    for (const change of changes) {
      if (change.version <= at || this.#waiting.has(change.previous)) {
        repeats++;
      } else if (change.previous === at && !this.#healing && change.bodyOmitted !== true) {
        ready.push(change);
        at = this.#waiting.follow(change.version, ready);
      } else {
        this.#waiting.hold(change);
        if (change.version > this.#target) this.#target = change.version;
      }
    }
    if (repeats > 0) this.context.observer.repeated?.(this.type, repeats);
    this.#hand(ready);
    if (this.#delivered < this.#target) this.#await(this.#waiting.lacksBody(this.#delivered) ? 0 : undefined);
  }

  /** Compares with the database: the safety net under the bus. Failures are left to the next poll. */
  async poll(): Promise<void> {
    const deliveredBefore = this.#delivered;
    let reading: HeadReading;
    try {
      reading = await this.context.heads.read(this.type);
    } catch {
      return;
    }
    this.#compare(reading, deliveredBefore);
  }

  /** Reads the head, and resolves with its version once all changes up to it have been delivered. */
  async confirm(): Promise<Version> {
    const deliveredBefore = this.#delivered;
    const reading = await this.context.heads.read(this.type);
    this.#compare(reading, deliveredBefore);
    if (this.#ended) throw new FollowingEndedError('the subscription has ended');
    if (this.#delivered >= reading.head) return reading.head;
    if (this.#failure) throw this.#failure;
    return new Promise((resolve, reject) => this.#confirmations.push({ version: reading.head, resolve, reject }));
  }

  /** Ends the subscription, and notifies its subscriber of the reason. */
  reset(reason: ResetReason): void {
    if (this.#ended) return;
    this.#end(`the subscription was reset (${reason})`);
    this.context.observer.reset?.(this.type, reason);
    this.#guarded(() => this.sink.reset(reason));
  }

  /**
   * `deliveredBefore` is the version delivered before the head was read: a head below it can only be another history's.
   */
  #compare({ head, floor, asOf }: HeadReading, deliveredBefore: Version): void {
    if (this.#ended) return;
    if (head < deliveredBefore) this.reset('rewound');
    else if (floor > this.#delivered) this.reset('expired');
    if (this.#ended) return;
    this.#unconfirmed.add({ head, asOf });
    if (head > this.#target) this.#target = head;
    this.#confirm();
    if (this.#delivered < head) this.#await(this.context.busHealthy() ? undefined : 0);
  }

  #await(wait: number = this.context.reorderWait): void {
    if (this.#healing || this.#ended) return;
    if (wait > 0 && this.#cancelWait !== undefined) return;
    this.#cancelWait?.();
    this.#cancelWait = this.context.clock.after(wait, () => {
      this.#cancelWait = undefined;
      if (this.#ended || this.#delivered >= this.#target) return;
      void this.#heal();
    });
  }

  /** Reads missing changes, page by page, then continues with those that arrived meanwhile. Never rejects. */
  async #heal(): Promise<void> {
    this.#healing = true;
    const backoff = new Backoff({ firstMs: FIRST_RETRY_MS, longestMs: this.context.maxBackoff });
    let healed = 0;
    let fetched = 0;
    let failingSince: number | undefined;
    while (!this.#ended && this.#delivered < this.#target) {
      const asked = this.context.clock.now();
      try {
        const { source, pageSize } = this.context;
        // Followers have the states before already.
        const page = await source.changes(this.type, this.#delivered, pageSize, 'version');
        if (this.#ended) return;
        if (page.length === 0) {
          await this.#doubtTarget();
        } else {
          fetched += page.filter(({ previous }) => this.#waiting.lacksBody(previous)).length;
          healed += page.filter(({ previous }) => !this.#waiting.has(previous)).length;
          if (!this.#continue(page)) return this.reset('rewound');
          this.#follow();
        }
        backoff.reset();
        failingSince = undefined;
        this.#failure = undefined;
      } catch (error) {
        if (this.#ended) return;
        if (error instanceof HistoryExpiredError) return this.reset('expired');
        this.context.observer.failed?.(error);
        failingSince ??= asked;
        if (this.context.clock.now() - failingSince >= PATIENCE) this.#fail(error as Error);
        await this.#pause(backoff.next());
      }
    }
    this.#healing = false;
    if (healed > 0) this.context.observer.healed?.(this.type, healed);
    if (fetched > 0) this.context.observer.fetched?.(this.type, fetched);
    if (this.#ended) return;
    if (this.#delivered < this.#target) this.#await();
  }

  /** Delivers changes that have arrived meanwhile and continue what was read; earlier ones are dropped. */
  #follow(): void {
    this.#waiting.forget(this.#delivered);
    const ready: Change[] = [];
    this.#waiting.follow(this.#delivered, ready);
    this.#hand(ready);
  }

  /**
   * Fails waiting confirmations: their callers do without, or report it; unreadable changes are retried all the same.
   */
  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#confirmations.splice(0)) reject(error);
  }

  /** Delivers a page of history. False when it does not continue what was delivered: two histories. */
  #continue(page: readonly Change[]): boolean {
    let previous = this.#delivered;
    for (const change of page) {
      // A type's first change names no predecessor, whatever its head was before.
      if (change.previous !== previous && change.previous !== 0n) return false;
      previous = change.version;
    }
    this.#hand(page);
    return true;
  }

  /** History ends before a version that was announced: read the real head, and forget announcements beyond it. */
  async #doubtTarget(): Promise<void> {
    const deliveredBefore = this.#delivered;
    const reading = await this.context.heads.read(this.type);
    if (reading.head > deliveredBefore) return;
    this.#waiting.clear();
    this.#target = deliveredBefore;
    this.#compare(reading, deliveredBefore);
  }

  #hand(changes: readonly Change[]): void {
    const last = changes.at(-1);
    if (last === undefined) return;
    this.#delivered = last.version;
    if (this.#target < last.version) this.#target = last.version;
    if (this.#guarded(() => this.sink.changes(changes))) this.#confirm();
    else this.reset('expired');
  }

  #confirm(): void {
    const reached = this.#unconfirmed.reached(this.#delivered);
    if (reached !== undefined) {
      const { head, asOf } = reached;
      this.#confirmedAt = asOf;
      this.context.observer.lag?.(this.type, this.context.clock.now() - asOf);
      this.#guarded(() => this.sink.confirmed(head, asOf));
    }
    if (this.#confirmations.length === 0) return;
    const due = this.#confirmations.filter(({ version }) => version <= this.#delivered);
    if (due.length === 0) return;
    this.#confirmations = this.#confirmations.filter(({ version }) => version > this.#delivered);
    for (const { version, resolve } of due) resolve(version);
  }

  /** A consumer that throws has lost its position; its error must not reach the bus or the other consumers. */
  #guarded(call: () => void): boolean {
    try {
      call();
      return true;
    } catch (error) {
      this.context.observer.failed?.(error);
      return false;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.context.clock.after(ms, resolve);
    });
  }

  #end(why: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelWait?.();
    this.#waiting.clear();
    this.onEnd(this);
    for (const { reject } of this.#confirmations) reject(new FollowingEndedError(why));
    this.#confirmations = [];
    this.#unconfirmed.clear();
  }
}
