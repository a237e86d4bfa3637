import { expired, type StatusError } from '@orch/machinery';
import { type Endpoint, fillAhead, type StoredForm, weakMemo } from '@orch/resources';
import { HistoryExpiredError, type Key, type Row, type Version } from '@orch/storage';
import type { TypeCache, WatchCache } from '@orch/watchcache';
import { isConfirmed } from './confirmed.js';
import { encodeContinue } from './continue-token.js';
import { ConvertedLister } from './converted-lister.js';
import type { DatabaseLister } from './database-lister.js';
import { interestOf, type Listed, type ListRequest, listedFrom, listMeta } from './list-request.js';
import type { MemoryFit } from './memory-fit.js';
import type { ObjectReader } from './object-reader.js';
import { retryUnloaded } from './retry-unloaded.js';

type Pages = Listed['pages'];

/** Pages that were iterated, with their defaults filled in. Pages in memory are read again and again. */
const knownFilled = weakMemo((_form: StoredForm) => new WeakSet<readonly Row[]>());

/** Returns the same pages, once the very many defaults that their objects may lack have been filled in. */
const filledPages = (pages: Pages, form: StoredForm): Pages => ({
  async *[Symbol.asyncIterator]() {
    const known = knownFilled(form);
    for await (const page of pages) {
      for (const row of known.has(page) ? [] : page) {
        const filling = fillAhead(row, form);
        if (filling) await filling;
      }
      known.add(page);
      yield page;
    }
  },
});

/** Lists collections: from memory for the newest state of a type that fits there, else from the database. */
export class ObjectLister {
  readonly #converted = new ConvertedLister(
    (request) => this.#stored(request),
    (type, conversion) => this.cache.peek(type, { conversion }),
  );

  constructor(
    private readonly cache: WatchCache,
    private readonly reader: ObjectReader,
    private readonly database: DatabaseLister,
    private readonly fit: MemoryFit,
  ) {}

  /**
   * Lists objects.
   * @throws StatusError 410 for versions no longer held, 429 when too many lists are in progress, 504 for versions not
   * reached, 500 for objects that cannot be converted
   */
  async list(request: ListRequest): Promise<Listed> {
    const { stage, form } = request.endpoint;
    const listed = await (stage ? this.#converted.list(request, stage) : this.#stored(request));
    if (!form.fillsInSteps) return listed;
    return { ...listed, pages: filledPages(listed.pages, form), windows: filledPages(listed.windows, form) };
  }

  #stored(request: ListRequest): Promise<Listed> {
    return retryUnloaded(() => this.#attempt(request));
  }

  async #attempt(request: ListRequest): Promise<Listed> {
    const { endpoint, options } = request;
    const { freshness, continuation } = options;
    if (continuation) return this.#continue(request, continuation.version, continuation.after);
    if (freshness.want === 'exact') return this.#exact(request, freshness.at);
    const cache = await this.#memory(endpoint);
    if (cache && this.reader.isAtLeast(endpoint.type, cache, freshness)) return this.#fromMemory(request, cache);
    if (freshness.want === 'not-older') await this.reader.reach(endpoint.type, freshness.than);
    if (!cache) return this.database.list(request);
    if (freshness.want === 'any') await cache.waitReady();
    else if (!(await isConfirmed(cache))) return this.database.list(request);
    return this.#fromMemory(request, cache);
  }

  async #continue(request: ListRequest, version: Version, after: Key): Promise<Listed> {
    if (version === 0n) {
      const cache = await this.#memory(request.endpoint);
      if (!cache) return this.database.list(request, undefined, after);
      if (!(await isConfirmed(cache))) return this.database.list(request, undefined, after);
      return this.#fromMemory(request, cache, after);
    }
    try {
      return await this.#exact(request, version, after);
    } catch (error) {
      throw error instanceof HistoryExpiredError ? expiredToken(after) : error;
    }
  }

  async #fromMemory(request: ListRequest, cache: TypeCache, after?: Key): Promise<Listed> {
    if (request.selection) await cache.prepare(interestOf(request));
    return this.#fromCache(request, cache, after);
  }

  #fromCache(request: ListRequest, cache: TypeCache, after?: Key): Listed {
    const { selection, options } = request;
    const list = cache.list({
      ...interestOf(request),
      ...(after && { after }),
      ...(options.limit > 0 && { limit: options.limit }),
    });
    const last = list.remaining === 0 ? undefined : list.pages.at(-1)?.at(-1);
    const meta = listMeta(list.version, last, selection ? undefined : list.remaining);
    return listedFrom(meta, list.pages);
  }

  async #exact(request: ListRequest, at: Version, after?: Key): Promise<Listed> {
    const cached = this.cache.peek(request.endpoint.type);
    if (cached?.ready() && at === cached.version) {
      if (request.selection) await cached.prepare(interestOf(request));
      // Changes that arrived meanwhile are not part of this version.
      if (cached.ready() && at === cached.version) return this.#fromCache(request, cached, after);
    }
    return this.database.list(request, await this.reader.reach(request.endpoint.type, at), after, at);
  }

  /** Returns the cache of a type that is in memory already, or is small enough to be loaded. */
  async #memory({ type, description }: Endpoint): Promise<TypeCache | undefined> {
    const held = this.cache.peek(type) !== undefined || (await this.fit.fits(type));
    return held ? this.cache.type(type, description) : undefined;
  }
}

/** 410 with a token that lets a client continue behind the same key, at the newest version. */
function expiredToken(after: Key): StatusError {
  const error = expired(
    'The provided continue parameter is too old to display a consistent list result. Start a new list without it, or go on with the ' +
      'token of this response: the rest then shows the newest state and is not consistent with the chunks before.',
  );
  error.status.metadata.continue = encodeContinue({ version: 0n, after });
  return error;
}
