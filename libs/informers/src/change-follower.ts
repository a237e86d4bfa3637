import { type Following, FollowingEndedError, type OrderedFeed, type ResetReason } from '@orch/feed';
import type { Clock } from '@orch/runtime';
import type { Change, ReadingStore, TypeId, Version } from '@orch/storage';
import { Stall } from './stall.js';

/** Options of a {@link ChangeFollower}. */
interface ChangeFollowerOptions {
  /** Type of the objects whose changes are followed. */
  readonly type: TypeId;
  /** Store that the changes are of. */
  readonly store: Partial<Pick<ReadingStore, 'heads'>> & Pick<ReadingStore, 'onStalledHistory'>;
  /** Feed of the changes. */
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Reads the version from which on changes are followed. Default: the newest of the type. */
  readonly from?: () => Promise<Version>;
  /** Called with changes, in their order. */
  readonly changed: (changes: readonly Change[]) => void;
  /**
   * Called when changes may have been missed: cached state may be outdated, and {@link ChangeFollower.follow} has to be
   * called again.
   */
  readonly reset: (reason: ResetReason) => void;
  /** Clock for how long changes are held up. Default: that of the system. */
  readonly clock?: Clock;
}

/**
 * Follows the changes of a type and holds none of its objects: for informers, and for caches that read objects on
 * demand and drop those that change. Changes that cannot be decrypted for now hold up the others for a few seconds at
 * most; then it is reset.
 */
export class ChangeFollower {
  #following: Following | undefined;
  #beginning: Promise<void> | undefined;
  readonly #stall: Stall;
  #unsubscribe: (() => void) | undefined;
  #stopped = false;

  constructor(private readonly options: ChangeFollowerOptions) {
    this.#stall = new Stall(options.clock);
  }

  /** Whether all changes are delivered. */
  get isFollowing(): boolean {
    return this.#following !== undefined;
  }

  /** Time at which everything was last known to be delivered, monotonic milliseconds; undefined if it is not known. */
  get confirmedAt(): number | undefined {
    return this.#following?.confirmedAt;
  }

  /**
   * Resolves with the newest version once all changes up to it are delivered.
   * @throws FollowingEndedError when it does not follow, or is reset or stopped meanwhile; UnreadableChangesError;
   * StoreUnavailableError
   */
  confirm(): Promise<Version> {
    if (!this.#following) return Promise.reject(new FollowingEndedError('objects are not followed'));
    return this.#following.confirm();
  }

  /**
   * Starts to follow, unless it does already: no change is missed of objects that are read after that. Does nothing
   * once it is stopped.
   * @throws StoreUnavailableError; Error for a type that the database does not know
   */
  follow(): Promise<void> {
    if (this.#following || this.#stopped) return Promise.resolve();
    this.#beginning ??= this.#begin().finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  /** Stops for good. */
  stop(): void {
    this.#stopped = true;
    this.#unsubscribe?.();
    this.#following?.close();
    this.#following = undefined;
  }

  async #begin(): Promise<void> {
    const { type, store, feed, changed, from = () => this.#head() } = this.options;
    const version = await from();
    if (this.#stopped) return;
    this.#stall.over();
    this.#unsubscribe ??= store.onStalledHistory?.(type, (at) => this.#stalled(at));
    this.#following = feed.follow(type, version, {
      changes: (changes) => {
        this.#stall.over();
        changed(changes);
      },
      confirmed: () => undefined,
      reset: (reason) => this.#reset(reason),
    });
  }

  async #head(): Promise<Version> {
    const { type, store } = this.options;
    const head = (await store.heads?.([type]))?.get(type)?.head;
    if (head === undefined) throw new Error(`the database knows no type ${type}`);
    return head;
  }

  /** The change of this version cannot be opened for now; what comes behind it cannot wait for long. */
  #stalled(at: Version): void {
    if (!this.#following || at <= this.#following.delivered || !this.#stall.isTooLong()) return;
    this.#following.close();
    this.#reset('expired');
  }

  #reset(reason: ResetReason): void {
    this.#following = undefined;
    this.options.reset(reason);
  }
}
