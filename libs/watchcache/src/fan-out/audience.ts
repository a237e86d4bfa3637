import type { Version } from '@orch/storage';
import { Cohort } from './cohort.js';
import type { FrameEncoder } from './frames.js';
import type { Interest, SharedInterest } from './interest.js';

/** A flush of an audience, through all cohorts with pending events. */
export interface Flushed {
  /** Monotonic ms. */
  readonly began: number;
  /** Milliseconds of writing, without other work in between. */
  readonly took: number;
  /** Maximum number of events in one write. */
  readonly events: number;
}

const NEVER: Flushed = { began: Number.NEGATIVE_INFINITY, took: 0, events: 0 };

/** All watchers that want the same bytes. An event has the same effect for all of them. */
export class Audience {
  /** Its live watchers, divided so that other work can run during a flush to many of them. */
  readonly cohorts: Cohort[] = [];
  /** Numbers of live watchers, and of all. */
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

  /** Returns a cohort that a further watcher may join once it is flushed. */
  cohortWithRoom(): Cohort {
    const found = this.cohorts.find(({ live }) => live.length < this.cohortSize);
    if (found !== undefined) return found;
    const made = new Cohort(this);
    this.cohorts.push(made);
    return made;
  }

  /** Returns a bookmark, encoded once for watchers at the same version. */
  bookmark(version: Version): Buffer {
    if (this.#bookmark?.version !== version) {
      this.#bookmark = { version, bytes: this.encoder.bookmark(version, false) };
    }
    return this.#bookmark.bytes;
  }
}
