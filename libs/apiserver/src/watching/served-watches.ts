import type { WatchCache, Watcher } from '@orch/watchcache';
import type { Endpoint } from '../served/endpoint.js';
import type { ServedResources } from '../served/served-resources.js';

/** What a stream needs to be ended by. */
type Stream = Pick<Watcher, 'finish'>;

/** The streams of each endpoint that this process serves itself; those of one that goes end in order, and no others notice. */
export class ServedWatches {
  readonly #streams = new Map<Endpoint, Set<Stream>>();

  constructor(
    private readonly served: ServedResources,
    cache?: Pick<WatchCache, 'retire'>,
  ) {
    served.onChange(({ ended }) => {
      for (const endpoint of ended) {
        for (const stream of this.#streams.get(endpoint) ?? []) stream.finish();
        // Nobody goes on asking a webhook for what is served by another definition now.
        if (endpoint.stage) cache?.retire(endpoint.type, { conversion: endpoint.stage });
      }
    });
  }

  /** Takes a stream in; one of an endpoint that went while it was begun ends at once. @returns what to call when it is over */
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
