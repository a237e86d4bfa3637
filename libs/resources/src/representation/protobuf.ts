import {
  encodeObject,
  encodeUnknown,
  encodeWatchEvent,
  listFieldSize,
  listItemHead,
  listMetaHead,
  unknownFrame,
} from '@orch/codec';
import type { ApiObject, Names } from '@orch/machinery';
import { LongSteps } from '@orch/runtime/work';
import type { StructSchema } from '@orch/schema';
import type { Endpoint } from '../served/endpoint.js';
import type { Shape } from '../stored/shape.js';
import type { Stored } from '../stored/stored.js';
import { weakMemo } from '../stored/weak-memo.js';
import { isShareable, type Piece, type SharedPiece } from './piece.js';
import type { PieceCache } from './piece-cache.js';
import { PieceWriter } from './piece-writer.js';
import { bookmarkObject, type Representation } from './representation.js';

/** Schemas that the binary form needs beside the endpoint's own. */
export interface MetaSchemas {
  readonly partialObjectMetadata: StructSchema;
  readonly listMeta: StructSchema;
  readonly status: StructSchema;
}

/**
 * Protobuf encoding of an object or of its metadata alone (spec: "Protobuf envelope"). Tables have no binary form.
 * @param schema schema of the encoded object
 */
export function protobufRepresentation(
  schema: StructSchema,
  endpoint: Endpoint,
  shape: Shape,
  names: Names,
  meta: MetaSchemas,
  cache: PieceCache,
  key: string,
): Representation {
  const kind = shape.name === 'partial' ? 'PartialObjectMetadata' : endpoint.definition.kind;
  const apiVersion = shape.apiVersion;
  const raw = (object: ApiObject | Record<string, unknown>) => encodeObject(schema, object);
  const envelope = (bytes: Uint8Array) => encodeUnknown({ apiVersion, kind, raw: bytes });
  // Binary forms are cached as long as the stored objects that they encode.
  const object = weakMemo((stored: Stored) => envelope(raw(shape.single(stored))));
  const item = weakMemo((stored: Stored) => raw(shape.item(stored)));
  const status = (value: object) =>
    encodeUnknown({ apiVersion: 'v1', kind: 'Status', raw: encodeObject(meta.status, value as ApiObject) });
  return {
    key,
    contentType: names.protobufMediaType,
    streamContentType: `${names.protobufMediaType};stream=watch`,
    object,
    list(listMeta, pages) {
      const metadata = encodeObject(meta.listMeta, { ...listMeta });
      const share: PageSharer = (page, size, encode) => cache.piece(page, key, size, encode);
      return protobufList({ apiVersion, kind: shape.listKind }, metadata, pages, item, share);
    },
    event: (type, stored) => encodeWatchEvent(type, object(stored)),
    bookmark: (bookmark) =>
      encodeWatchEvent('BOOKMARK', envelope(raw(bookmarkObject(kind, apiVersion, names, bookmark)))),
    errorEvent: (value) => encodeWatchEvent('ERROR', status(value)),
  };
}

/** Total bytes of the items that are kept between counting and writing. */
const KEPT_BYTES = 1 << 20;

/**
 * Encodes a collection behind its length, which must be known before the first item is sent: longer collections are
 * encoded twice rather than held.
 */
async function* protobufList(
  type: { apiVersion: string; kind: string },
  metadata: Uint8Array,
  pages: AsyncIterable<readonly Stored[]>,
  encode: (stored: Stored) => Uint8Array,
  share: PageSharer,
): AsyncIterable<Piece> {
  const { length, kept } = await measured(pages, encode);
  const { head, tail } = unknownFrame(type, listFieldSize(metadata.length) + length);
  const out = new PieceWriter();
  for (const bytes of [head, listMetaHead(metadata.length), metadata]) writeTo(out, bytes);
  for await (const { page, items } of kept ?? encoded(pages, encode)) {
    const size = sizeOf(items);
    if (isShareable(size)) {
      yield* out.end();
      yield share(page, size, () => wholePage(items, size));
      continue;
    }
    for (const item of items) {
      writeItem(out, item);
      for (let piece = out.shift(); piece; piece = out.shift()) yield piece;
    }
  }
  writeTo(out, tail);
  yield* out.end();
}

function writeTo(out: PieceWriter, bytes: Uint8Array): void {
  out.bytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

function writeItem(out: PieceWriter, item: Uint8Array): void {
  writeTo(out, listItemHead(item.length));
  writeTo(out, item);
}

function wholePage(items: readonly Uint8Array[], size: number): Buffer {
  const out = new PieceWriter(size);
  for (const item of items) writeItem(out, item);
  return out.whole();
}

/** Total bytes of items within their list. */
const sizeOf = (items: readonly Uint8Array[]): number =>
  items.reduce((sum, { length }) => sum + listFieldSize(length), 0);

/** Creates a piece of a page that may be requested again. */
type PageSharer = (page: readonly Stored[], size: number, encode: () => Buffer) => SharedPiece;

interface EncodedPage {
  readonly page: readonly Stored[];
  readonly items: readonly Uint8Array[];
}

/** The items of each page. */
async function* encoded(
  pages: AsyncIterable<readonly Stored[]>,
  encode: (stored: Stored) => Uint8Array,
): AsyncGenerator<EncodedPage> {
  const steps = new LongSteps();
  for await (const page of pages) {
    const items: Uint8Array[] = [];
    for (const stored of page) {
      items.push(await steps.take(() => encode(stored)));
    }
    yield { page, items };
  }
}

/** Total length of the items within their list, and the items themselves if they are small enough to be kept. */
async function measured(pages: AsyncIterable<readonly Stored[]>, encode: (stored: Stored) => Uint8Array) {
  let length = 0;
  let kept: EncodedPage[] | undefined = [];
  for await (const page of encoded(pages, encode)) {
    length += sizeOf(page.items);
    if (length > KEPT_BYTES) kept = undefined;
    kept?.push(page);
  }
  return { length, kept };
}
