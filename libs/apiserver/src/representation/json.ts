import { stringifyJson } from '@orch/codec';
import type { Names } from '@orch/machinery';
import type { Endpoint, Stored } from '../endpoint.js';
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
  const bookmarkKind = shape.name === 'self' ? kind : shape.name === 'table' ? 'Table' : 'PartialObjectMetadata';
  return {
    key,
    contentType: 'application/json',
    streamContentType: 'application/json',
    object,
    list: (meta, pages) => jsonList(shape, meta, pages, item),
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

async function* jsonList(
  shape: Shape,
  meta: ListMeta,
  pages: AsyncIterable<readonly Stored[]>,
  item: ItemWriter,
): AsyncIterable<Buffer> {
  const out = new PieceWriter();
  const { kind, apiVersion } = { kind: shape.listKind, apiVersion: shape.apiVersion };
  const head = stringifyJson({ kind, apiVersion, metadata: meta, ...shape.envelope });
  out.bytes(Buffer.from(`${head.slice(0, -1)},"${shape.itemsField}":[`));
  let separator = '';
  for await (const page of pages) {
    for (const stored of page) {
      item(out, separator, stored);
      separator = ',';
      for (let piece = out.shift(); piece; piece = out.shift()) yield piece;
    }
  }
  out.ascii(']}');
  yield* out.end();
}
