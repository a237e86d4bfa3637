import type { EventTable } from './event-table.js';
import type { Selection } from './selection.js';

/** Times are monotonic milliseconds of the process that runs the clients. */
interface Called {
  readonly kind: string;
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** The outcome of a write, as far as the client knows it. */
export type WriteOutcome =
  | { readonly at: 'committed'; readonly version: number; readonly print: string }
  /** A deletion that was carried out at once; `uid` of the object that is gone. */
  | { readonly at: 'deleted'; readonly uid: string }
  /** Decided and not done: 4xx. */
  | { readonly at: 'refused'; readonly code: number; readonly reason: string; readonly message: string }
  /** No answer, or one that does not tell. */
  | { readonly at: 'unknown' };

/** `flag` patches something that may be so already; the others leave their stamp. */
export type WriteCall = 'create' | 'replace' | 'patch' | 'flag' | 'delete';

export interface Write extends Called {
  readonly call: WriteCall;
  /** Stamp that the object bears if this was the last to write it; unique. */
  readonly stamp: string;
  readonly flag?: string;
  readonly precondition?: { readonly version?: number; readonly uid?: string };
  readonly outcome: WriteOutcome;
}

/** A linearizable read of one object that was answered. */
export interface Read extends Called {
  readonly found?: { readonly version: number; readonly print: string };
}

/** An answered list. */
export interface List {
  readonly kind: string;
  readonly client: string;
  readonly server: string;
  readonly selection: Selection;
  readonly start: number;
  readonly end: number;
  /** The freshness asked for. */
  readonly asked: 'recent' | 'any' | { readonly notOlderThan: number };
  /** The highest version that any client knew to be committed when it was asked for. */
  readonly known: number;
  readonly version: number;
  readonly items: readonly { readonly version: number; readonly print: string }[];
}

/** How a watcher began. */
export type LifeStart =
  | { readonly mode: 'list'; readonly version: number }
  /** The state as ADDED events, with no mark at its end. `known`: as in {@link List}; 0 where staleness was allowed. */
  | { readonly mode: 'legacy'; readonly known: number }
  /** The state as ADDED events, then a bookmark that marks its end. */
  | { readonly mode: 'stream'; readonly known: number };

export interface Refusal {
  readonly code: number;
  readonly message: string;
  /** The version from which the watcher wanted to go on; undefined for a start. */
  readonly after: number | undefined;
  /** Whether it ended a stream that had brought something, instead of refusing one. */
  readonly ended: boolean;
  /** Milliseconds since the watcher was last let in, or began to ask. */
  readonly outside: number;
  /** Monotonic ms of its coming. */
  readonly at: number;
}

/**
 * A watcher from a start to the point where it cannot be resumed, over as many requests as it took: every request
 * goes on after the last version of the one before, so that all of them together must be one replay.
 */
export interface Life {
  readonly watcher: string;
  readonly kind: string;
  readonly selection: Selection;
  readonly start: LifeStart;
  readonly events: EventTable;
  /** In the order of their coming: an event is its id in `events`, a bookmark is its version, negative. */
  readonly entries: readonly number[];
  /** Number of entries of `stream` before the bookmark that ended the initial state. */
  readonly initialEnd: number | undefined;
  readonly refusals: readonly Refusal[];
  /** Whether the run ended in the middle of it, after it had time to catch up. */
  readonly lasted: boolean;
}
