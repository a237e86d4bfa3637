import type { Endpoint } from './endpoint.js';
import { ServedSnapshot, type Told } from './served-snapshot.js';

/** What became of what is served. */
export interface ServedChange {
  readonly before: ServedSnapshot;
  readonly after: ServedSnapshot;
  /** Endpoints of `before` that are gone or are others now; those that stayed are the same objects in both. */
  readonly ended: readonly Endpoint[];
}

/**
 * What a process serves, as it changes: definitions come and go, versions are switched off. Whoever answers a request
 * takes {@link current} once and keeps to it; whatever is made of a snapshot (documents, names, bytes) is made of it lazily
 * and goes with it. Endpoints that a change does not touch must be carried over as the same objects: what is kept by endpoint
 * stays valid with them.
 */
export class ServedResources {
  readonly #listeners = new Set<(change: ServedChange) => void>();
  #current: ServedSnapshot;

  /** @param endpoints what is served at first */
  constructor(endpoints: readonly Endpoint[]) {
    this.#current = new ServedSnapshot(1, endpoints);
  }

  get current(): ServedSnapshot {
    return this.#current;
  }

  /**
   * Serves something else from now on. Requests under way finish on what they began with.
   * @param told what documents tell of an endpoint; default all of it
   */
  replace(endpoints: readonly Endpoint[], told?: Told): ServedSnapshot {
    const before = this.#current;
    const after = new ServedSnapshot(before.generation + 1, endpoints, told);
    this.#current = after;
    const ended = before.endpoints.filter((endpoint) => !after.holds(endpoint));
    for (const listener of [...this.#listeners]) listener({ before, after, ended });
    return after;
  }

  /** Calls back after each change, in the same turn. @returns what ends it */
  onChange(listener: (change: ServedChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
