import type { Change, Version } from '@orch/storage';
import type { AnnouncedChange } from './feed.js';

const MAX_CHANGES = 4096;
const MAX_BYTES = 4 << 20;

/**
 * Announcements whose predecessor has not arrived, by that predecessor. Bounded: those beyond are read from the
 * database.
 */
export class PendingAnnouncements {
  #byPrevious = new Map<Version, AnnouncedChange>();
  #bytes = 0;

  /** Whether the successor of a version is held. */
  has(previous: Version): boolean {
    return this.#byPrevious.has(previous);
  }

  /** Holds an announcement, if the bounds allow it. */
  hold(change: AnnouncedChange): void {
    if (this.#byPrevious.size >= MAX_CHANGES || this.#bytes + change.body.length > MAX_BYTES) return;
    this.#byPrevious.set(change.previous, change);
    this.#bytes += change.body.length;
  }

  /** Moves the continuation of `version` to `ready` and returns the version that it leads to. */
  follow(version: Version, ready: Change[]): Version {
    if (this.#byPrevious.size === 0) return version;
    let at = version;
    for (let next = this.#byPrevious.get(at); next !== undefined; next = this.#byPrevious.get(at)) {
      if (next.bodyOmitted === true) break;
      this.#remove(next);
      ready.push(next);
      at = next.version;
    }
    return at;
  }

  /** Whether the successor of this version has arrived without its body. */
  lacksBody(version: Version): boolean {
    return this.#byPrevious.get(version)?.bodyOmitted === true;
  }

  /** Drops changes that have been delivered otherwise. */
  forget(delivered: Version): void {
    for (const change of [...this.#byPrevious.values()]) {
      if (change.version <= delivered) this.#remove(change);
    }
  }

  /** Drops all announcements. */
  clear(): void {
    this.#byPrevious.clear();
    this.#bytes = 0;
  }

  #remove(change: AnnouncedChange): void {
    if (this.#byPrevious.delete(change.previous)) this.#bytes -= change.body.length;
  }
}
