import type { Clock } from '@orch/runtime/clock';
import type { Version } from '@orch/storage';
import type { WatchedState } from '../fan-out/fan-out-model.js';
import type { FrameCache } from '../fan-out/frames.js';
import type { Audience } from '../fan-out/watcher.js';
import type { Evictable, InitialBudget } from './initial-budget.js';
import { InitialState, type InitialStateActions } from './initial-state.js';

interface InitialStatesOptions {
  readonly clock: Clock;
  readonly frames: FrameCache;
  readonly budget: InitialBudget;
  /** Milliseconds for which one is given to further watchers though the state has moved on. */
  readonly shared: number;
}

/** Provides initial states, one for as many watchers of an audience as can use it, within a budget of bytes. */
export class InitialStates {
  /** Numbers of states that were made, and given to watchers. */
  readonly counts = { initialStates: 0, initialWatches: 0 };
  /** The newest state made for each audience. */
  readonly #newest = new Map<Audience, InitialState>();
  /** Readers of each state by their owner. */
  readonly #readers = new Map<InitialState, Map<string | undefined, number>>();
  /** States without readers, kept for new ones. */
  readonly #unread = new Map<Audience, Evictable>();
  readonly #actions: InitialStateActions;
  #reserved = 0;
  #kept = 0;

  constructor(
    private readonly state: WatchedState,
    private readonly options: InitialStatesOptions,
  ) {
    const { frames, budget } = options;
    this.#actions = {
      encode: (...event) => frames.encode(...event),
      keep: (bytes, drop) => this.#keep(bytes, drop),
      use: (piece) => budget.use(piece),
      drop: (piece) => budget.drop(piece),
    };
  }

  /** Bytes of states and their pieces, without those in the connections of clients. */
  get bytes(): number {
    return this.#reserved + this.#kept;
  }

  /**
   * Returns a state for one more reader, until it is released.
   * @param owner charged for it; undefined for none
   * @throws InitialBudgetError
   */
  take(audience: Audience, notOlderThan: Version, owner: string | undefined): InitialState {
    const initial = this.#usable(audience, notOlderThan) ?? this.#make(audience, owner);
    this.#reserve(initial, owner, 1);
    this.counts.initialWatches++;
    this.#dropUnread(audience);
    this.#newest.set(audience, initial);
    return initial;
  }

  /** Releases a state of a reader. A state without readers is kept for a while for new ones. */
  release(audience: Audience, initial: InitialState, owner: string | undefined): void {
    this.#reserve(initial, owner, -1);
    if (this.#readers.has(initial)) return;
    if (this.#newest.get(audience) === initial) this.#keepUnread(audience, initial);
    else initial.forget();
  }

  /** Drops the state of an audience, except for its current readers. */
  forget(audience: Audience): void {
    this.#dropUnread(audience);
    this.#newest.delete(audience);
  }

  /** Drops all states: later ones belong to another ring. */
  clear(): void {
    for (const audience of [...this.#newest.keys()]) this.forget(audience);
  }

  #usable(audience: Audience, notOlderThan: Version): InitialState | undefined {
    const { ring, version } = this.state;
    const initial = this.#newest.get(audience);
    if (initial === undefined || initial.version < notOlderThan || initial.cursor < ring.first) return undefined;
    const { clock, shared } = this.options;
    const isFresh = (initial.whole && initial.version === version) || clock.now() - initial.madeAt <= shared;
    return isFresh ? initial : undefined;
  }

  #make({ interest, encoder }: Audience, owner: string | undefined): InitialState {
    const { clock, budget } = this.options;
    // Checked first: without any room the objects need not be collected.
    budget.check(owner);
    const entries = this.state.collect(interest);
    this.counts.initialStates++;
    const { version, ring } = this.state;
    return new InitialState(version, ring.next, clock.now(), entries, encoder, this.#actions);
  }

  /** Reserves the bytes of a state once for all readers of an owner, who share it; and once in all. */
  #reserve(initial: InitialState, owner: string | undefined, change: 1 | -1): void {
    const owners = this.#readers.get(initial) ?? new Map<string | undefined, number>();
    const before = owners.get(owner) ?? 0;
    const after = before + change;
    const bytes = more(initial, before, after);
    const inAll = more(initial, initial.readers, initial.readers + change);
    if (change > 0) this.options.budget.reserve(owner, bytes, inAll);
    else this.options.budget.giveBack(owner, -bytes, -inAll);
    this.#reserved += inAll;
    initial.readers += change;
    if (after > 0) owners.set(owner, after);
    else owners.delete(owner);
    if (initial.readers > 0) this.#readers.set(initial, owners);
    else this.#readers.delete(initial);
  }

  #keepUnread(audience: Audience, initial: InitialState): void {
    const unread = this.#keep(initial.listBytes, () => {
      this.#unread.delete(audience);
      if (this.#readers.has(initial)) return;
      this.#newest.delete(audience);
      initial.forget();
    });
    if (unread !== undefined) this.#unread.set(audience, unread);
  }

  /** Stops keeping the state without readers. One that has a reader again stays. */
  #dropUnread(audience: Audience): void {
    const unread = this.#unread.get(audience);
    if (unread !== undefined) this.options.budget.drop(unread);
  }

  #keep(bytes: number, drop: () => void): Evictable | undefined {
    this.#kept += bytes;
    const kept = {
      bytes,
      drop: () => {
        this.#kept -= bytes;
        drop();
      },
    };
    return this.options.budget.keep(kept) ? kept : undefined;
  }
}

/** Bytes that this many readers hold of a state beyond those of fewer. */
function more(initial: InitialState, before: number, after: number): number {
  const held = (count: number): number => (count === 0 ? 0 : initial.heldBy(count));
  return held(after) - held(before);
}
