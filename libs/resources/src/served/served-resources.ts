import type { Endpoint } from './endpoint.js';
import { fullyDescribed, ServedSnapshot, type Serving } from './served-snapshot.js';

/** A change of the served resources. */
export interface ServedChange {
  readonly before: ServedSnapshot;
  readonly after: ServedSnapshot;
  /** Endpoints of `before` that were removed or replaced; unchanged endpoints are the same objects in both. */
  readonly ended: readonly Endpoint[];
  /** Endpoints of `after` that were added or have replaced others. */
  readonly begun: readonly Endpoint[];
}

/**
 * Registry of the resources that a process serves, which changes as definitions are added and removed. A request reads
 * {@link current} once and keeps to it; everything derived from a snapshot (documents, names, bytes) is derived lazily
 * and dropped with it. Endpoints that a change does not affect must be carried over as the same objects: caches by
 * endpoint stay valid with them.
 */
export class ServedResources {
  readonly #listeners = new Set<(change: ServedChange) => void>();
  #current: ServedSnapshot;

  /** @param endpoints initially served endpoints */
  constructor(endpoints: readonly Endpoint[]) {
    this.#current = ServedSnapshot.first(endpoints);
  }

  /** Resources that are served now, as an immutable snapshot. */
  get current(): ServedSnapshot {
    return this.#current;
  }

  /**
   * Publishes a new snapshot. Requests in progress finish with the one that they began with.
   * @param ended endpoints that are removed, or replaced by one of `begun`
   * @param begun endpoints that are added, and those whose documentation changes
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

  /** Replaces all endpoints; all of the new ones are documented. */
  replace(endpoints: readonly Endpoint[]): ServedSnapshot {
    return this.change(this.#current.endpoints, endpoints.map(fullyDescribed));
  }

  /** Calls the listener after each change, in the same turn of the event loop. @returns removes the listener */
  onChange(listener: (change: ServedChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
