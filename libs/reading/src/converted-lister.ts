import type { Endpoint, ListMeta, VersionStage } from '@orch/resources';
import type { Key, Row, TypeId } from '@orch/storage';
import type { EqualityKey, Page, Selection, TypeCache } from '@orch/watchcache';
import { interestOf, type Listed, type ListRequest, listedFrom, listMeta } from './list-request.js';

type Pages = AsyncIterable<readonly Row[]>;
type ListStored = (request: ListRequest) => Promise<Listed>;

/** Bytes of found objects after which a page ends before its limit is reached. */
const PAGE_BYTES = 8 << 20;
/** Bytes of converted objects that are read ahead before the first is sent. */
const AHEAD_BYTES = 8 << 20;
const NAME: EqualityKey = 'field:metadata.name';

/** Number of webhook calls that a list has in flight at a time. */
const UNDER_WAY = 2;

/** Returns the state of a type that a stage has converted for watches; undefined if there is none. */
type WatchedState = (type: TypeId, stage: VersionStage) => TypeCache | undefined;

/**
 * Lists collections of kinds that a webhook converts: known conversions are used, and of the rest a batch is read, then
 * converted with one call, while no connection of the database is held. Fields that selectors match may be set by the
 * conversion, so they are applied to its result.
 */
export class ConvertedLister {
  /** @param stored lists the objects in their stored versions */
  constructor(
    private readonly stored: ListStored,
    private readonly watched: WatchedState,
  ) {}

  /** @throws StatusError 500 if an object cannot be converted; whatever `stored` throws */
  async list(request: ListRequest, stage: VersionStage): Promise<Listed> {
    const { endpoint, selection, options } = request;
    const { meta, windows, there } = await this.stored(selection ? unselected(request, selection) : request);
    const watched = this.watched(endpoint.type, stage);
    const selected = there && watched && (await stateOf(watched, request, meta));
    if (selected) {
      const listed = listedFrom(meta, selected);
      return selection && options.limit > 0 ? firstPage(versionIn(meta), listed.pages, options.limit) : listed;
    }
    const all = ahead(converted(windows, stage, watched));
    if (!selection) return { meta, pages: all, windows: all };
    const chosen = iterable(() => filtered(all, endpoint, selection));
    if (options.limit === 0) return { meta, pages: chosen, windows: chosen };
    return firstPage(versionIn(meta), chosen, options.limit);
  }
}

const versionIn = ({ resourceVersion = '0' }: ListMeta): bigint => BigInt(resourceVersion);

/**
 * Returns a list of the objects that were converted for watches; undefined if these are of another version, or
 * incomplete.
 */
async function stateOf(
  watched: TypeCache,
  { selection, options, ...request }: ListRequest,
  { resourceVersion }: ListMeta,
): Promise<readonly Page[] | undefined> {
  const isSame = () => watched.ready() && String(watched.version) === resourceVersion;
  if (!isSame()) return undefined;
  const interest = interestOf({ ...request, options, ...(selection && { selection }) });
  if (selection) {
    await watched.prepare(interest);
    if (!isSame()) return undefined;
  }
  const { after } = options.continuation ?? {};
  const limit = selection ? 0 : options.limit;
  const { pages } = watched.list({ ...interest, ...(after && { after }), ...(limit > 0 && { limit }) });
  return pages.some((page) => page.some(({ failure }) => failure)) ? undefined : pages;
}

/**
 * Returns the list that contains everything that may be selected: by name, which is immutable, and else all there is.
 */
function unselected({ selection: _selection, ...request }: ListRequest, { equals }: Selection): ListRequest {
  const all = { ...request, options: { ...request.options, limit: 0 } };
  const name = equals?.get(NAME);
  return name === undefined ? all : { ...all, selection: named(name) };
}

const named = (name: string): Selection => ({
  key: `metadata.name=${name}`,
  matches: ({ fields }) => fields['metadata.name'] === name,
  equals: new Map([[NAME, name]]),
});

/**
 * Reads a page of the selected objects, and one object more to know whether others follow; the page may be short if its
 * objects are large.
 */
async function firstPage(version: bigint, selected: Pages, limit: number): Promise<Listed> {
  const found: Row[] = [];
  let bytes = 0;
  for await (const page of selected) {
    for (const row of page) {
      if (found.length >= limit || bytes > PAGE_BYTES) return pageOf(version, found, found.at(-1));
      found.push(row);
      bytes += row.body.length;
    }
  }
  return pageOf(version, found, undefined);
}

const pageOf = (version: bigint, found: readonly Row[], last: Key | undefined): Listed =>
  listedFrom(listMeta(version, last, undefined), [found]);

const iterable = (iterate: () => AsyncGenerator<readonly Row[]>): Pages => ({ [Symbol.asyncIterator]: iterate });

/** Converts portions one after another; the next is requested while the previous one is in flight. */
const converted = (windows: Pages, stage: VersionStage, watched: TypeCache | undefined): Pages =>
  iterable(async function* () {
    const underWay: Promise<readonly Row[]>[] = [];
    for await (const portion of portions(windows, stage, watched)) {
      const made = complete(portion, stage);
      // A caller that leaves earlier does not get the error.
      made.catch(() => undefined);
      underWay.push(made);
      if (underWay.length < UNDER_WAY) continue;
      yield await (underWay.shift() as Promise<readonly Row[]>);
    }
    for (const made of underWay) yield await made;
  });

/**
 * Reads ahead as many rows as most lists have: a failure among these is answered as an error, instead of a truncated
 * list.
 */
const ahead = (pages: Pages): Pages =>
  iterable(async function* () {
    const held: (readonly Row[])[] = [];
    let bytes = 0;
    for await (const page of pages) {
      if (bytes >= AHEAD_BYTES) yield* held.splice(0);
      held.push(page);
      for (const { body } of page) bytes += body.length;
    }
    yield* held;
  });

/** Rows in order, undefined for each row of `asked`: those that the webhook has to convert. */
interface Portion {
  readonly rows: readonly (Row | undefined)[];
  readonly asked: readonly Row[];
}

async function complete({ rows, asked }: Portion, stage: VersionStage): Promise<readonly Row[]> {
  if (asked.length === 0) return rows as readonly Row[];
  const made = (await stage.toKnown(asked)).values();
  return rows.map((row) => row ?? (made.next().value as Row));
}

/**
 * Divides rows into batches for one call each; the bytes of rows that need no conversion are counted too, as they wait
 * with the others. Pages without a row to convert stay what they are: their bytes may be cached with them.
 */
async function* portions(windows: Pages, stage: VersionStage, watched: TypeCache | undefined): AsyncGenerator<Portion> {
  const { maxObjects, maxBytes } = stage.limits;
  let [rows, asked, bytes]: [(Row | undefined)[], Row[], number] = [[], [], 0];
  for await (const page of windows) {
    const known = page.map((row) => knownOf(row, stage, watched));
    if (rows.length === 0 && !known.includes(undefined)) {
      yield { rows: known.every((row, i) => row === page[i]) ? page : known, asked };
      continue;
    }
    for (const [at, row] of page.entries()) {
      rows.push(known[at]);
      if (!known[at]) asked.push(row);
      bytes += row.body.length;
      if (asked.length < maxObjects && bytes < maxBytes) continue;
      yield { rows, asked };
      [rows, asked, bytes] = [[], [], 0];
    }
  }
  if (rows.length > 0) yield { rows, asked };
}

/** Returns a row in the served version, if its conversion is known already. */
function knownOf(row: Row, stage: VersionStage, watched: TypeCache | undefined): Row | undefined {
  if (stage.isServed(row)) return row;
  const entry = watched?.ready() ? watched.get(row) : undefined;
  const isSame = entry?.uid === row.uid && entry.version === row.version && !entry.failure;
  return isSame ? entry : stage.known(row);
}

async function* filtered(pages: Pages, endpoint: Endpoint, selection: Selection): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) yield page.filter((row) => selection.matches(endpoint.description.describe(row)));
}
