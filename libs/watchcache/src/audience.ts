import type { Version } from '@orch/storage';
import { Cohort } from './cohort.js';
import type { FrameEncoder } from './frames.js';
import type { Interest, SharedInterest } from './interest.js';

/** A flush of an audience, which went through all cohorts that had gathered something. */
export interface Flushed {
  /** Monotonic ms. */
  readonly began: number;
  /** Milliseconds of writing, without what came in between. */
  readonly took: number;
  /** Most events that went out with one write. */
  readonly events: number;
}

const NEVER: Flushed = { began: Number.NEGATIVE_INFINITY, took: 0, events: 0 };

/** All watchers that want the same bytes. What one event is for one of them, it is for all. */
export class Audience {
  /** Its live watchers, divided so that a flush to many of them lets everything else come in between. */
  readonly cohorts: Cohort[] = [];
  /** How many watchers are live, and how many there are. */
  live = 0;
  members = 0;
  lastFlush: Flushed = NEVER;
  #bookmark: { readonly version: Version; readonly bytes: Buffer } | undefined;

  constructor(
    readonly key: string,
    readonly shared: SharedInterest,
    readonly encoder: FrameEncoder,
    private readonly cohortSize: number,
  ) {}

  get interest(): Interest {
    return this.shared.interest;
  }

  /** A cohort that one more watcher may join once it is flushed. */
  cohortWithRoom(): Cohort {
    const found = this.cohorts.find(({ live }) => live.length < this.cohortSize);
    if (found !== undefined) return found;
    const made = new Cohort(this);
    this.cohorts.push(made);
    return made;
  }

  /** A bookmark, made once for the watchers whose turn comes at the same version. */
  bookmark(version: Version): Buffer {
    if (this.#bookmark?.version !== version) {
      this.#bookmark = { version, bytes: this.encoder.bookmark(version, false) };
    }
    return this.#bookmark.bytes;
  }
}
