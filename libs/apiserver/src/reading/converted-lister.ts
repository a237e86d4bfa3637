import type { Key, Row } from '@orch/storage';
import type { EqualityKey, Selection } from '@orch/watchcache';
import type { Endpoint } from '../served/endpoint.js';
import type { VersionStage } from '../served/version-stage.js';
import { type Listed, type ListRequest, listedFrom, listMeta } from './list-request.js';

type Pages = AsyncIterable<readonly Row[]>;
type ListStored = (request: ListRequest) => Promise<Listed>;

/** Bytes of found objects after which a page ends before its limit. */
const PAGE_BYTES = 8 << 20;
/** Bytes of converted objects that are there before the first is sent. */
const AHEAD_BYTES = 8 << 20;
const NAME: EqualityKey = 'field:metadata.name';

/**
 * Collections of kinds whose objects are converted by somebody outside: a portion is read, then asked for with one call, while nothing of the
 * database is held. What selectors look at may be made by that call, so they are tried on what comes of it.
 */
export class ConvertedLister {
  /** @param stored lists what is stored, as it lies */
  constructor(private readonly stored: ListStored) {}

  /** @throws StatusError 500 where it cannot be converted, besides what a list of what is stored throws */
  async list(request: ListRequest, stage: VersionStage): Promise<Listed> {
    const { endpoint, selection, options } = request;
    const { meta, windows } = await this.stored(selection ? unselected(request, selection) : request);
    const all = ahead(converted(windows, stage));
    if (!selection) return { meta, pages: all, windows: all };
    const selected = iterable(() => filtered(all, endpoint, selection));
    if (options.limit === 0) return { meta, pages: selected, windows: selected };
    return firstPage(BigInt(meta.resourceVersion ?? 0), selected, options.limit);
  }
}

/** The list that has everything that may be selected: by name, which nobody changes, and else all there is. */
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

/** A page of what was selected, and one object more to know whether others follow; it may hold fewer where they are large. */
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

const converted = (windows: Pages, stage: VersionStage): Pages =>
  iterable(async function* () {
    for await (const portion of portions(windows, stage)) yield await stage.toServed(portion);
  });

/** As much ahead as lists mostly hold: what fails within that is answered as an error, not by a list that is cut off. */
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

/**
 * Rows for one call each, those among them that need none counted: they wait with the others. Pages in which nothing has to be converted
 * stay what they are: their bytes may be kept with them.
 */
async function* portions(windows: Pages, stage: VersionStage): AsyncGenerator<readonly Row[]> {
  const { maxObjects, maxBytes } = stage.limits;
  let portion: Row[] = [];
  let bytes = 0;
  for await (const page of windows) {
    if (portion.length === 0 && page.every((row) => stage.isServed(row))) {
      yield page;
      continue;
    }
    for (const row of page) {
      portion.push(row);
      bytes += row.body.length;
      if (portion.length < maxObjects && bytes < maxBytes) continue;
      yield portion;
      [portion, bytes] = [[], 0];
    }
  }
  if (portion.length > 0) yield portion;
}

async function* filtered(pages: Pages, endpoint: Endpoint, selection: Selection): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) yield page.filter((row) => selection.matches(endpoint.description.describe(row)));
}
