import type { Endpoint } from './endpoint.js';
import { ServedSnapshot, type Serving, toldWhole } from './served-snapshot.js';

/** What became of what is served. */
export interface ServedChange {
  readonly before: ServedSnapshot;
  readonly after: ServedSnapshot;
  /** Endpoints of `before` that are gone or are others now; those that stayed are the same objects in both. */
  readonly ended: readonly Endpoint[];
  /** Endpoints of `after` that were not there before. */
  readonly begun: readonly Endpoint[];
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
    this.#current = ServedSnapshot.first(endpoints);
  }

  /** Resources that are served now, as an immutable snapshot. */
  get current(): ServedSnapshot {
    return this.#current;
  }

  /**
   * Serves something else from now on. Requests under way finish on what they began with.
   * @param ended of which nothing takes the place, or something of `begun`
   * @param begun and what documents tell of each, also where only that is another now
   */
  change(ended: readonly Endpoint[], begun: readonly Serving[]): ServedSnapshot {
    const before = this.#current;
    const after = before.with(ended, begun);
    this.#current = after;
    const replaced = begun.flatMap(({ endpoint: { definition } }) => {
      return before.find(definition.group, definition.version, definition.resource) ?? [];
    });
    const change = {
      before,
      after,
      ended: [...new Set([...ended, ...replaced])].filter(
        (endpoint) => before.holds(endpoint) && !after.holds(endpoint),
      ),
      begun: begun.flatMap(({ endpoint }) => (before.holds(endpoint) ? [] : endpoint)),
    };
    for (const listener of [...this.#listeners]) listener(change);
    return after;
  }

  /** Serves these and nothing else from now on; documents tell all of them. */
  replace(endpoints: readonly Endpoint[]): ServedSnapshot {
    return this.change(this.#current.endpoints, endpoints.map(toldWhole));
  }

  /** Calls back after each change, in the same turn. @returns what ends it */
  onChange(listener: (change: ServedChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
