import type { Ring } from '../history/ring.js';
import type { FanOutOptions } from './fan-out-options.js';
import { TimerWheel } from './timer-wheel.js';
import type { Watcher } from './watcher.js';

/** Least milliseconds between bookmarks. */
const LEAST = 1_000;

interface WatcherTimesActions {
  bookmark(watcher: Watcher): void;
  /** The stream's time is over; its last bookmark has been sent. */
  end(watcher: Watcher): void;
}

/** Schedules the bookmarks and the end of each watcher. */
export class WatcherTimes {
  readonly #wheel: TimerWheel<Watcher>;

  /** @param ring from which the watchers would resume */
  constructor(
    private readonly options: Pick<Required<FanOutOptions>, 'clock' | 'random' | 'bookmarkInterval'>,
    private readonly ring: () => Ring,
    private readonly actions: WatcherTimesActions,
  ) {
    this.#wheel = new TimerWheel(options.clock, (watcher) => this.#due(watcher));
  }

  /** Schedules the first bookmark at a random time, to spread those of many watchers. */
  begin(watcher: Watcher): void {
    const { clock, random } = this.options;
    if (watcher.bookmarks) watcher.nextBookmark = clock.now() + this.#interval() * (0.5 + random() / 2);
    this.#schedule(watcher);
  }

  /** Ends a watcher at a time (monotonic ms), unless it ends earlier. */
  endBy(watcher: Watcher, at: number): void {
    if (at >= watcher.endsAt) return;
    watcher.endsAt = at;
    this.#schedule(watcher);
  }

  remove(watcher: Watcher): void {
    this.#wheel.remove(watcher);
  }

  stop(): void {
    this.#wheel.stop();
  }

  #due(watcher: Watcher): void {
    const now = this.options.clock.now();
    if (now >= watcher.endsAt) {
      if (watcher.bookmarks) this.actions.bookmark(watcher);
      this.actions.end(watcher);
      return;
    }
    if (now >= watcher.nextBookmark) {
      this.actions.bookmark(watcher);
      watcher.nextBookmark = now + this.#interval();
    }
    this.#schedule(watcher);
  }

  /** A third of the ring's span, if bytes bound it: a client that is cut off right before a bookmark can resume. */
  #interval(): number {
    const ring = this.ring();
    const { bookmarkInterval } = this.options;
    return ring.full ? Math.min(bookmarkInterval, Math.max(LEAST, ring.span / 3)) : bookmarkInterval;
  }

  #schedule(watcher: Watcher): void {
    const due = Math.min(watcher.nextBookmark, watcher.endsAt);
    if (due < Number.POSITIVE_INFINITY) this.#wheel.schedule(watcher, due);
  }
}
