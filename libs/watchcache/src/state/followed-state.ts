import type { Following, ResetReason } from '@orch/feed';
import type { Clock } from '@orch/runtime/clock';
import type { TypeId } from '@orch/storage';
import type { ConvertedChange } from '../conversion/body-conversion.js';
import type { Followable } from '../conversion/converted-feed.js';
import type { ChangeEvent } from '../history/change-event.js';
import { Ring } from '../history/ring.js';
import type { WatchObserver } from '../observer.js';
import type { Describe } from './attributes.js';
import { type CacheEntry, entryOf } from './cache-entry.js';
import { State } from './state.js';
import type { LoadedState } from './state-loader.js';

interface FollowedStateOptions {
  readonly type: TypeId;
  readonly feed: Followable;
  readonly describe: Describe;
  readonly clock: Clock;
  readonly observer: WatchObserver | undefined;
  readonly ringMaxAge: number;
  readonly ringMaxBytes: number;
  readonly maxIndexes: number;
  /** Called for each change, once it is in state and ring. */
  readonly onEvent: (event: ChangeEvent) => void;
  /** No more changes come: the state here has no continuation. */
  readonly onReset: (reason: ResetReason) => void;
}

/** State and ring that were loaded at one time, with all changes since; updated by the feed until it resets. */
export class FollowedState {
  readonly state: State;
  readonly ring: Ring;
  readonly following: Following;

  constructor(
    { version, entries }: LoadedState,
    private readonly options: FollowedStateOptions,
  ) {
    const { type, feed, clock, ringMaxAge, ringMaxBytes, maxIndexes, onReset } = options;
    this.state = new State(version, entries, maxIndexes);
    this.ring = new Ring(version, ringMaxAge, ringMaxBytes);
    this.following = feed.follow(type, version, {
      changes: (changes) => {
        for (const change of changes) this.#apply(change);
      },
      confirmed: () => this.ring.evict(clock.now()),
      reset: onReset,
    });
  }

  /** Adds the later conversion of a state that could not be served, unless there is a newer state by now. */
  heal(failed: CacheEntry, healed: CacheEntry): void {
    if (this.state.get(failed) !== failed) return;
    this.state.set(healed);
    this.ring.heal(failed, healed);
  }

  #apply(change: ConvertedChange): void {
    const { type, describe, clock, observer, onEvent } = this.options;
    const { version, op } = change;
    const entry = entryOf(change, describe);
    const prior = op === 'delete' ? this.state.delete(entry) : this.state.set(entry);
    this.state.version = version;
    const origin = observer?.arrived?.(type, change);
    const event: ChangeEvent = { version, op, entry, prior, at: clock.now(), frames: undefined, origin };
    this.ring.push(event);
    onEvent(event);
  }
}
