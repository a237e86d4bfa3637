import { type Clock, systemClock } from '@orch/runtime/clock';
import { InitialBudget } from '../initial/initial-budget.js';
import type { WatchObserver } from '../observer.js';
import type { SelectorLimits } from './selector-budget.js';

/** Options of a fan-out. */
export interface FanOutOptions {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Random numbers in [0, 1), for spreading bookmarks. Default: Math.random. */
  readonly random?: () => number;
  /** Milliseconds between the bookmarks of a watcher, sooner while the ring is too short for that. Default 60,000. */
  readonly bookmarkInterval?: number;
  /** Maximum milliseconds of gathering events for a large audience. Default 10. */
  readonly maxGather?: number;
  /** Watchers per millisecond of gathering; an audience with fewer is served at once. Default 500. */
  readonly watchersPerGatherMs?: number;
  /** Watchers that are written to in one go, which blocks other work for a millisecond or two. Default 128. */
  readonly cohortSize?: number;
  /** Milliseconds for which an initial state is given to further watchers though it is outdated. Default 2000. */
  readonly shareInitial?: number;
  /** Bytes of frames kept for later watchers. Default 16 MiB. */
  readonly maxFrameBytes?: number;
  /**
   * Milliseconds for which a stalled stream is kept that is still reading its initial state, or history from the
   * database. Default 45,000.
   */
  readonly maxStall?: number;
  /** Budget for initial states, shared by all types of a process. Default: one of its own, without bounds. */
  readonly initialBudget?: InitialBudget;
  /** Default: no bounds. */
  readonly selectorLimits?: SelectorLimits;
  /** Observer of deliveries, for metrics and traces. */
  readonly observer?: WatchObserver;
}

/** Fills in defaults; a member that is given as undefined stays so. */
export function withDefaults(options: FanOutOptions): Required<FanOutOptions> {
  const { clock = systemClock, shareInitial = 2_000 } = options;
  return {
    clock,
    random: Math.random,
    bookmarkInterval: 60_000,
    maxGather: 10,
    watchersPerGatherMs: 500,
    cohortSize: 128,
    shareInitial,
    maxFrameBytes: 16 << 20,
    maxStall: 45_000,
    selectorLimits: { together: 0, perOwner: 0 },
    initialBudget: new InitialBudget({ clock, limits: { together: 0, perOwner: 0 }, keepFor: shareInitial }),
    observer: {},
    ...options,
  };
}
