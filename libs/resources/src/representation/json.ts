import { stringifyJson } from '@orch/codec';
import type { ApiObject, Names } from '@orch/machinery';
import { LongSteps } from '@orch/runtime/work';
import { type Endpoint, liesAsServed } from '../served/endpoint.js';
import { inFullForm, itemsHaveTypes, type Shape } from '../stored/shape.js';
import type { Stored } from '../stored/stored.js';
import { isShareable, type Piece, type SharedPiece } from './piece.js';
import type { PieceCache } from './piece-cache.js';
import { PieceWriter } from './piece-writer.js';
import {
  type BookmarkObject,
  bookmarkObject,
  type JsonRepresentation,
  type ListMeta,
  type ListParts,
  type Representation,
} from './representation.js';
import { shownLength, spliceJson, spliceJsonInto, splicePieces, typePrefix } from './splice.js';
import { surrounded } from './surround.js';

/** Writes an item of a collection behind its separator from the previous one. */
type ItemWriter = (out: PieceWriter, separator: string, stored: Stored) => void;

const json = (value: unknown): Buffer => Buffer.from(stringifyJson(value));

/** JSON encoding of any shape. Objects that are served in their stored version are spliced from their stored bytes. */
export function jsonRepresentation(
  endpoint: Endpoint,
  shape: Shape,
  names: Names,
  cache: PieceCache,
  key: string,
): JsonRepresentation {
  const { kind } = endpoint.definition;
  const spliced = (stored: Stored): boolean => shape.name === 'self' && liesAsServed(endpoint, stored);
  const prefix = typePrefix(endpoint.apiVersion, kind);
  const itemPrefix = itemsHaveTypes(endpoint) ? prefix : '{';
  const object = (stored: Stored): Buffer =>
    spliced(stored) ? spliceJson(prefix, stored, endpoint) : json(shape.single(stored));
  const item: ItemWriter = (out, separator, stored) => {
    if (spliced(stored)) {
      spliceJsonInto(out, separator + itemPrefix, stored, endpoint);
      return;
    }
    out.ascii(separator);
    out.bytes(json(shape.item(stored)));
  };
  // Tables contain the ages of objects, which change with time.
  const share =
    shape.name === 'table'
      ? undefined
      : sharePages(cache, key, item, (stored) => ITEM_OVERHEAD + itemPrefix.length + shownLength(stored, endpoint));
  const bookmarkOf = (bookmark: BookmarkObject): ApiObject => {
    const object = bookmarkObject(bookmarkKind, shape.apiVersion, names, bookmark);
    return shape.name === 'self' ? inFullForm(endpoint.model, object) : object;
  };
  const bookmarkKind = shape.name === 'self' ? kind : shape.name === 'table' ? 'Table' : 'PartialObjectMetadata';
  return {
    key,
    contentType: 'application/json',
    streamContentType: 'application/json',
    object,
    // Reading and scanning an object to show a part of it may take long, however small the part is.
    ...(shape.name !== 'self' && { objectInTurns: async (stored) => new LongSteps().take(() => object(stored)) }),
    parts: partsOf(shape, (stored) =>
      spliced(stored) ? spliceJson(itemPrefix, stored, endpoint) : json(shape.item(stored)),
    ),
    list: (meta, pages) => jsonList(shape, meta, pages, item, share),
    event: (type, stored) =>
      spliced(stored)
        ? spliceJson(`${eventHead(type)}${prefix}`, stored, endpoint, EVENT_END)
        : eventOf(type, object(stored)),
    eventWithin: (type, stored, around) =>
      spliced(stored)
        ? spliceJson(`${eventHead(type)}${prefix}`, stored, endpoint, EVENT_END, around)
        : surrounded(eventOf(type, object(stored)), around),
    piecesWithin: (type, stored, around) =>
      spliced(stored) ? splicePieces(`${eventHead(type)}${prefix}`, stored, endpoint, EVENT_END, around) : undefined,
    ...(shape.following && followingEvents(shape.following)),
    bookmark: (bookmark) => eventOf('BOOKMARK', json(bookmarkOf(bookmark))),
    errorEvent: (status) => eventOf('ERROR', json(status)),
  };
}

const around = ({ listKind: kind, apiVersion, envelope }: Shape, metadata: ListMeta): Record<string, unknown> => ({
  kind,
  apiVersion,
  metadata,
  ...envelope,
});

const partsOf = (shape: Shape, item: ListParts['item']): ListParts => ({
  itemsField: shape.itemsField,
  around: (meta) => around(shape, meta),
  item,
});

function followingEvents(object: (stored: Stored) => ApiObject): Pick<Representation, 'following'> {
  return { following: (type, stored) => eventOf(type, json(object(stored))) };
}

const eventHead = (type: string): string => `{"type":"${type}","object":`;
const EVENT_END = '}\n';

const eventOf = (type: string, object: Buffer): Buffer =>
  Buffer.concat([Buffer.from(eventHead(type)), object, Buffer.from(EVENT_END)]);

/** Maximum bytes that splicing adds to an item, besides its type. */
const ITEM_OVERHEAD = 64;

/** Makes a piece of a page that may be requested again; undefined if the page is written item by item. */
type PageSharer = (page: readonly Stored[], separator: string) => SharedPiece | undefined;

/** @param lengthOf maximum bytes of an item */
function sharePages(
  cache: PieceCache,
  key: string,
  item: ItemWriter,
  lengthOf: (stored: Stored) => number,
): PageSharer {
  const sizes = new WeakMap<readonly Stored[], number>();
  return (page, separator) => {
    const size = sizes.get(page) ?? page.reduce((sum, stored) => sum + lengthOf(stored), 0);
    sizes.set(page, size);
    if (!isShareable(size)) return undefined;
    return cache.piece(page, key + separator, size, () => wholePage(page, separator, size, item));
  };
}

function wholePage(page: readonly Stored[], separator: string, size: number, item: ItemWriter): Buffer {
  const out = new PieceWriter(size);
  page.forEach((stored, at) => {
    item(out, at === 0 ? separator : ',', stored);
  });
  return out.whole();
}

async function* jsonList(
  shape: Shape,
  meta: ListMeta,
  pages: AsyncIterable<readonly Stored[]>,
  item: ItemWriter,
  share: PageSharer | undefined,
): AsyncIterable<Piece> {
  const out = new PieceWriter();
  const head = stringifyJson(around(shape, meta));
  out.bytes(Buffer.from(`${head.slice(0, -1)},"${shape.itemsField}":[`));
  let separator = '';
  const steps = new LongSteps();
  for await (const page of pages) {
    const shared = share && (await steps.take(() => share(page, separator)));
    if (shared) {
      yield* out.end();
      yield shared;
      separator = ',';
      continue;
    }
    for (const stored of page) {
      await steps.take(() => item(out, separator, stored));
      separator = ',';
      for (let piece = out.shift(); piece; piece = out.shift()) yield piece;
    }
  }
  out.ascii(']}');
  yield* out.end();
}
