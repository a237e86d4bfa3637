import type { Endpoint } from '@orch/resources';
import type { Key, Row, Snapshot, SnapshotRequest, Store, Version } from '@orch/storage';
import type { Selection } from '@orch/watchcache';
import type { Entrance, ListGate } from './list-gate.js';
import { type Listed, type ListRequest, listedFrom, listMeta } from './list-request.js';
import type { ListOptions } from './read-options.js';
import type { WindowMemory } from './window-memory.js';
import { inWindows, unreserved } from './windows.js';
import { yielding } from './yielding.js';

type Pages = AsyncIterable<readonly Row[]>;
type Reader = Pick<ListRequest, 'user' | 'over'>;

/**
 * Bytes of found objects that are kept while the rest of a page is looked for; a page of more bytes is read a second
 * time.
 */
const KEPT_BYTES = 1 << 20;
/** Number of rows that a selector is tried on at a time. */
const LOOKED_AT = 2_000;
/**
 * Milliseconds that a client may take for a page, and that a list continues while others wait, before its connection is
 * released.
 */
const PATIENCE_MS = 250;
const TURN_MS = 500;
/**
 * Same for a list at a version, whether or not others wait: it holds history, and a round of compaction waits for less
 * than that before it gives up. Consecutive lists would keep history from ever being dropped.
 */
const EXACT_TURN_MS = 100;

/** Lists collections straight from the database, in memory that does not grow with them. */
export class DatabaseLister {
  constructor(
    private readonly store: Store,
    private readonly gate: ListGate,
    private readonly memory: WindowMemory,
  ) {}

  /**
   * @param at a version that has been reached; undefined for the newest state
   * @param shown version to report for the list, if that is another number for the same state
   * @throws HistoryExpiredError; StatusError 429 when too many lists are in progress
   */
  async list(request: ListRequest, at?: Version, after?: Key, shown = at): Promise<Listed> {
    const { endpoint, namespace, selection, options } = request;
    const { limit } = options;
    const from: SnapshotRequest = {
      type: endpoint.type,
      ...(namespace && { namespace }),
      ...(at !== undefined && { at }),
      ...(after && { after }),
      ...(options.freshness.want === 'any' && { stale: true }),
    };
    if (selection && limit > 0) return this.#selectedPage(request, selection, from, shown);
    const asked = { ...from, ...(limit > 0 && { limit }) };
    const snapshot = await this.#open(
      request,
      limit > 0 ? { ...asked, cut: countedBefore(options) ? 'find' : 'count' } : asked,
    );
    const meta = listMeta(shown ?? snapshot.version, snapshot.last, snapshot.remaining ?? leftBehind(options));
    const found = this.#again(
      request,
      snapshot.pages,
      { ...asked, at: snapshot.version, stale: false },
      at !== undefined,
    );
    if (!selection) return { meta, ...found };
    const selected = (pages: Pages): Pages => filtered(pages, endpoint, selection);
    return { meta, pages: selected(found.pages), windows: selected(found.windows) };
  }

  /** Reads a page of the objects that a selector matches, with one object more to know whether another page follows. */
  async #selectedPage(
    request: ListRequest,
    selection: Selection,
    from: SnapshotRequest,
    shown: Version | undefined,
  ): Promise<Listed> {
    const { limit } = request.options;
    let at = from.at;
    let last: Key | undefined;
    let kept: Row[] | undefined = [];
    let [found, bytes] = [0, 0];
    for (let after = from.after, ended = false; !ended && found <= limit; ) {
      const chunk = await this.#open(
        request,
        { ...from, ...(after && { after }), ...(at && { at, stale: false }), limit: LOOKED_AT },
        at === from.at ? 'new' : 'begun',
      );
      at ??= chunk.version;
      let looked = 0;
      for await (const page of chunk.pages) {
        looked += page.length;
        after = page.at(-1) ?? after;
        for (const row of page) {
          if (found > limit || !selects(request.endpoint, selection, row)) continue;
          found++;
          if (found > limit) continue;
          last = row;
          bytes += row.body.length;
          kept = bytes > KEPT_BYTES ? undefined : kept;
          kept?.push(row);
        }
      }
      ended = looked < LOOKED_AT;
    }
    const meta = listMeta(shown ?? at ?? 0n, found > limit ? last : undefined, undefined);
    if (kept) return listedFrom(meta, [kept]);
    const again = this.#again(request, undefined, { ...from, ...(at && { at }), stale: false }, true);
    const selected = (pages: Pages): Pages => until(last, filtered(pages, request.endpoint, selection));
    return { meta, pages: selected(again.pages), windows: selected(again.windows) };
  }

  /** Opens a snapshot that gives its place back when its rows have been read, are abandoned, or its client is gone. */
  async #open({ user, over }: Reader, request: SnapshotRequest, stage: Entrance['stage'] = 'new'): Promise<Snapshot> {
    const leave = await this.gate.enter(user, { stage, over });
    try {
      const snapshot = await this.store.snapshot(request);
      return { ...snapshot, pages: leaving(snapshot.pages, leave, over) };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Returns rows that can be iterated any number of times: the open ones first, then the same ones read again.
   * @param holdsHistory whether the first ones are of a version that was asked for
   */
  #again(
    reader: Reader,
    first: Pages | undefined,
    request: SnapshotRequest,
    holdsHistory: boolean,
  ): Pick<Listed, 'pages' | 'windows'> {
    const { limit: inAll = Number.POSITIVE_INFINITY } = request;
    const { user } = reader;
    let open = first;
    const next = async (): Promise<Pages> => {
      const pages = open ?? (await this.#open(reader, request, 'begun')).pages;
      open = undefined;
      return pages;
    };
    const behind = async (after: Key, limit: number): Promise<Pages> =>
      (await this.#open(reader, { ...request, after, limit }, 'begun')).pages;
    const terms = (exact: boolean) => ({
      ...{ patienceMs: PATIENCE_MS, turnMs: exact ? EXACT_TURN_MS : TURN_MS },
      isWanted: () => exact || this.gate.isWantedFrom(user),
      reserve: () => (user === undefined ? unreserved() : this.memory.reserve(user)),
    });
    return {
      pages: iterable(async function* () {
        const exact = holdsHistory || open === undefined;
        yield* yielding(await next(), inAll, behind, terms(exact));
      }),
      windows: iterable(async function* () {
        yield* inWindows(await next(), inAll, behind);
      }),
    };
  }
}

/** Whether the list was counted on its first page: a count reads the whole collection, a page only its own objects. */
const countedBefore = ({ continuation }: ListOptions): boolean =>
  continuation !== undefined && continuation.version !== 0n;

/**
 * Returns the number of remaining items behind this page, from the count of the first page; undefined if nothing was
 * counted.
 */
function leftBehind({ continuation, limit }: ListOptions): number | undefined {
  const left = (continuation?.left ?? 0) - limit;
  return left > 0 ? left : undefined;
}

const iterable = (iterate: () => AsyncGenerator<readonly Row[]>): Pages => ({ [Symbol.asyncIterator]: iterate });

async function* leaving(
  pages: Pages,
  leave: () => void,
  over: AbortSignal | undefined,
): AsyncGenerator<readonly Row[]> {
  try {
    for await (const page of pages) {
      over?.throwIfAborted();
      yield page;
    }
  } finally {
    leave();
  }
}

const selects = (endpoint: Endpoint, selection: Selection, row: Row): boolean =>
  selection.matches(endpoint.description.describe(row));

const filtered = (pages: Pages, endpoint: Endpoint, selection: Selection): Pages => ({
  async *[Symbol.asyncIterator]() {
    for await (const page of pages) yield page.filter((row) => selects(endpoint, selection, row));
  },
});

/** Returns the rows up to a key. */
const until = (last: Key | undefined, pages: Pages): Pages => ({
  async *[Symbol.asyncIterator]() {
    for await (const page of pages) {
      const at = page.findIndex(({ namespace, name }) => namespace === last?.namespace && name === last.name);
      yield at < 0 ? page : page.slice(0, at + 1);
      if (at >= 0) return;
    }
  },
});
