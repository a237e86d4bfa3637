import { stringifyJson } from '@orch/codec';
import type { Names } from '@orch/machinery';
import type { Endpoint, Stored } from '../endpoint.js';
import { weakMemo } from '../weak-memo.js';
import { PieceWriter } from './piece-writer.js';
import { bookmarkObject, type ListMeta, type Representation } from './representation.js';
import type { Shape } from './shape.js';
import { spliceJson, spliceJsonInto, typePrefix } from './stored-body.js';

/** Writes an item of a collection behind what separates it from the one before. */
type ItemWriter = (out: PieceWriter, separator: string, stored: Stored) => void;

const json = (value: unknown): Buffer => Buffer.from(stringifyJson(value));

/** JSON of any shape. Objects that are served in their storage version are spliced from their stored bytes. */
export function jsonRepresentation(endpoint: Endpoint, shape: Shape, names: Names, key: string): Representation {
  const { kind } = endpoint.definition;
  const spliced = shape.name === 'self' && endpoint.conversion === undefined;
  const prefix = typePrefix(endpoint.apiVersion, kind);
  const object = spliced
    ? (stored: Stored) => spliceJson(prefix, stored)
    : (stored: Stored) => json(shape.single(stored));
  const item: ItemWriter = spliced
    ? spliceJsonInto
    : (out, separator, stored) => {
        out.ascii(separator);
        out.bytes(json(shape.item(stored)));
      };
  // What is made of other than stored bytes may say how old things are, which does not keep.
  const kept = spliced ? keepPieces(item) : undefined;
  const bookmarkKind = shape.name === 'self' ? kind : shape.name === 'table' ? 'Table' : 'PartialObjectMetadata';
  return {
    key,
    contentType: 'application/json',
    streamContentType: 'application/json',
    object,
    list: (meta, pages) => jsonList(shape, meta, pages, item, kept),
    event: (type, stored) => eventOf(type, object(stored)),
    bookmark: (bookmark) => eventOf('BOOKMARK', json(bookmarkObject(bookmarkKind, shape.apiVersion, names, bookmark))),
    errorEvent: (status) => eventOf('ERROR', json(status)),
  };
}

function eventOf(type: string, object: Buffer): Buffer {
  const head = `{"type":"${type}","object":`;
  const out = Buffer.allocUnsafe(head.length + object.length + 2);
  out.write(head, 0, 'latin1');
  object.copy(out, head.length);
  out.write('}\n', out.length - 2, 'latin1');
  return out;
}

/** Bytes of a page that is worth keeping as pieces, and of one that may be. */
const KEEP_FROM_BYTES = 256 * 1024;
const KEEP_UP_TO_BYTES = 16 * 1024 * 1024;

/** Pieces of a page that is handed out again and again, as a list from memory is until something changes. */
type KeptPieces = (page: readonly Stored[]) => readonly Buffer[];

function keepPieces(item: ItemWriter): KeptPieces {
  return weakMemo((page: readonly Stored[]) => {
    const out = new PieceWriter();
    page.forEach((stored, at) => {
      item(out, at === 0 ? '' : ',', stored);
    });
    return out.end();
  });
}

function worthKeeping(page: readonly Stored[]): boolean {
  let bytes = 0;
  for (const { body } of page) bytes += body.length;
  return bytes >= KEEP_FROM_BYTES && bytes <= KEEP_UP_TO_BYTES;
}

async function* jsonList(
  shape: Shape,
  meta: ListMeta,
  pages: AsyncIterable<readonly Stored[]>,
  item: ItemWriter,
  kept: KeptPieces | undefined,
): AsyncIterable<Buffer> {
  const out = new PieceWriter();
  const { kind, apiVersion } = { kind: shape.listKind, apiVersion: shape.apiVersion };
  const head = stringifyJson({ kind, apiVersion, metadata: meta, ...shape.envelope });
  out.bytes(Buffer.from(`${head.slice(0, -1)},"${shape.itemsField}":[`));
  let separator = '';
  for await (const page of pages) {
    if (kept && worthKeeping(page)) {
      out.ascii(separator);
      separator = ',';
      yield* out.end();
      yield* kept(page);
      continue;
    }
    for (const stored of page) {
      item(out, separator, stored);
      separator = ',';
      for (let piece = out.shift(); piece; piece = out.shift()) yield piece;
    }
  }
  out.ascii(']}');
  yield* out.end();
}
