import { expired, type StatusError } from '@orch/machinery';
import { HistoryExpiredError, type Key, type Row, type SnapshotRequest, type Store, type Version } from '@orch/storage';
import type { Selection, TypeCache, WatchCache } from '@orch/watchcache';
import type { Endpoint } from '../endpoint.js';
import type { ListMeta } from '../representation/representation.js';
import { encodeContinue } from './continue-token.js';
import { isAtLeast, type ObjectReader } from './object-reader.js';
import type { ListOptions } from './read-options.js';

export interface ListRequest {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly selection?: Selection;
  readonly options: ListOptions;
}

export interface Listed {
  readonly meta: ListMeta;
  readonly pages: AsyncIterable<readonly Row[]>;
}

/** Where and at which version a list is answered. */
interface Position {
  readonly at: Version;
  readonly after?: Key;
}

/** Stands for a number of further items that is not known. */
const MORE = 1;

/** Collections: from memory for the newest state, from the database for exact versions. */
export class ObjectLister {
  constructor(
    private readonly store: Store,
    private readonly cache: WatchCache,
    private readonly reader: ObjectReader,
  ) {}

  /** @throws StatusError 410 for versions no longer held, 504 for versions not reached */
  async list(request: ListRequest): Promise<Listed> {
    const { endpoint, options } = request;
    const { freshness, continuation } = options;
    if (continuation) return this.#continue(request, continuation.version, continuation.after);
    if (freshness.want === 'exact') return this.#exact(request, { at: freshness.at });
    const cache = this.cache.type(endpoint.type, endpoint.description);
    if (isAtLeast(cache, freshness)) return this.#fromCache(request, cache);
    if (freshness.want === 'not-older') await this.reader.reach(endpoint.type, freshness.than);
    await (freshness.want === 'any' ? cache.waitReady() : cache.confirm());
    return this.#fromCache(request, cache);
  }

  async #continue(request: ListRequest, version: Version, after: Key): Promise<Listed> {
    if (version === 0n) {
      const cache = this.cache.type(request.endpoint.type, request.endpoint.description);
      await cache.confirm();
      return this.#fromCache(request, cache, after);
    }
    try {
      return await this.#exact(request, { at: version, after });
    } catch (error) {
      throw error instanceof HistoryExpiredError ? expiredToken(after) : error;
    }
  }

  #fromCache(request: ListRequest, cache: TypeCache, after?: Key): Listed {
    const { namespace, selection, options } = request;
    const page = cache.list({
      ...(namespace && { namespace }),
      ...(selection && { selection }),
      ...(after && { after }),
      ...(options.limit > 0 && { limit: options.limit }),
    });
    const last = page.entries.at(-1);
    const counted = page.remaining !== undefined && selection === undefined;
    const meta = listMeta(page.version, counted, page.remaining ?? MORE, last && keyOf(last));
    return { meta, pages: once(page.entries) };
  }

  async #exact(request: ListRequest, position: Position): Promise<Listed> {
    const cached = this.cache.peek(request.endpoint.type);
    if (cached?.ready() && position.at === cached.version) return this.#fromCache(request, cached, position.after);
    const snapshot = await this.#snapshotRequest(request, position);
    return request.selection && request.options.limit > 0
      ? this.#selectedPage(request, request.selection, position.at, snapshot)
      : this.#snapshot(request, position.at, snapshot);
  }

  async #snapshot(request: ListRequest, version: Version, at: SnapshotRequest): Promise<Listed> {
    const { endpoint, selection, options } = request;
    const limit = options.limit;
    const snapshot = await this.store.snapshot({ ...at, ...(limit > 0 && { limit, countRemaining: true }) });
    if (limit === 0) {
      const meta = listMeta(version, true, 0, undefined);
      return { meta, pages: selection ? filtered(snapshot.pages, endpoint, selection) : snapshot.pages };
    }
    const rows = [];
    for await (const page of snapshot.pages) rows.push(...page);
    const last = rows.at(-1);
    return { meta: listMeta(version, true, snapshot.remaining ?? 0, last && keyOf(last)), pages: once(rows) };
  }

  /** A page of what a selector lets through, with one object more to know whether there is another page. */
  async #selectedPage(
    request: ListRequest,
    selection: Selection,
    version: Version,
    at: SnapshotRequest,
  ): Promise<Listed> {
    const { endpoint, options } = request;
    const snapshot = await this.store.snapshot(at);
    const found: Row[] = [];
    let more = false;
    for await (const page of filtered(snapshot.pages, endpoint, selection)) {
      for (const row of page) {
        if (found.length === options.limit) more = true;
        else found.push(row);
      }
      if (more) break;
    }
    const last = found.at(-1);
    return { meta: listMeta(version, false, more ? MORE : 0, last && keyOf(last)), pages: once(found) };
  }

  async #snapshotRequest({ endpoint, namespace }: ListRequest, { at, after }: Position): Promise<SnapshotRequest> {
    return {
      type: endpoint.type,
      at: await this.reader.reach(endpoint.type, at),
      ...(namespace && { namespace }),
      ...(after && { after }),
    };
  }
}

const keyOf = ({ namespace, name }: Key): Key => ({ namespace, name });

/** @param exactCount whether `remaining` is a count (no selector) or only says that there is more */
function listMeta(version: Version, exactCount: boolean, remaining: number, last: Key | undefined): ListMeta {
  const resourceVersion = String(version);
  if (remaining === 0 || !last) return { resourceVersion };
  const token = encodeContinue({ version, after: last });
  return { resourceVersion, continue: token, ...(exactCount && { remainingItemCount: remaining }) };
}

async function* once<T>(page: readonly T[]): AsyncGenerator<readonly T[]> {
  yield page;
}

async function* filtered(
  pages: AsyncIterable<readonly Row[]>,
  endpoint: Endpoint,
  selection: Selection,
): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) {
    yield page.filter((row) => selection.matches(endpoint.description.describe(row)));
  }
}

/** 410 whose token lets a client go on behind the same key, at the newest version. */
function expiredToken(after: Key): StatusError {
  const error = expired(
    'The provided continue parameter is too old to display a consistent list result. Start a new list without it, or go on with the ' +
      'token of this response: the rest then shows the newest state and is not consistent with the chunks before.',
  );
  error.status.metadata.continue = encodeContinue({ version: 0n, after });
  return error;
}
