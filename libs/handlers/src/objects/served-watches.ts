import type { Endpoint, ServedResources } from '@orch/resources';
import type { WatchCache, Watcher } from '@orch/watchcache';

/** The part of a watcher that ends it. */
type Stream = Pick<Watcher, 'finish'>;

/**
 * Longest time in milliseconds that streams of a removed kind wait for the last changes, which do not arrive while the
 * database is unavailable.
 */
const LAST_CHANGES_MS = 3_000;

/**
 * Watches of each endpoint that this process serves itself. Those of a removed endpoint end cleanly; others are not
 * affected.
 */
export class ServedWatches {
  readonly #streams = new Map<Endpoint, Set<Stream>>();

  constructor(
    private readonly served: ServedResources,
    private readonly cache: Pick<WatchCache, 'peek' | 'retire'>,
  ) {
    served.onChange(({ ended }) => {
      for (const endpoint of ended) {
        void this.#finish(endpoint);
        // Stops conversions by the webhook of an endpoint that another definition serves now.
        if (endpoint.stage) cache.retire(endpoint.type, { conversion: endpoint.stage });
      }
    });
  }

  /**
   * Ends the streams of an endpoint after the last changes of its objects have arrived: the end of a kind and these
   * come by different ways. Never rejects.
   */
  async #finish(endpoint: Endpoint): Promise<void> {
    const streams = this.#streams.get(endpoint);
    if (!streams) return;
    const { type, stage } = endpoint;
    await this.cache.peek(type, stage && { conversion: stage })?.settle(LAST_CHANGES_MS);
    for (const stream of streams) stream.finish();
  }

  /**
   * Takes a stream in; one of an endpoint that went while it was begun ends at once.
   * @returns what to call when it is over
   */
  add(endpoint: Endpoint, stream: Stream): () => void {
    const streams = this.#streams.get(endpoint) ?? new Set();
    this.#streams.set(endpoint, streams.add(stream));
    if (!this.served.current.holds(endpoint)) stream.finish();
    return () => {
      streams.delete(stream);
      if (streams.size === 0 && this.#streams.get(endpoint) === streams) this.#streams.delete(endpoint);
    };
  }
}
