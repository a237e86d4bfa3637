import { encodeList, encodeObject, encodeUnknown, encodeWatchEvent } from '@orch/codec';
import type { ApiObject, Names } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import type { Endpoint, Stored } from '../endpoint.js';
import { weakMemo } from '../weak-memo.js';
import { bookmarkObject, type Representation } from './representation.js';
import type { Shape } from './shape.js';

/** Schemas that the binary form needs beside the endpoint's own. */
export interface MetaSchemas {
  readonly partialObjectMetadata: StructSchema;
  readonly listMeta: StructSchema;
  readonly status: StructSchema;
}

/** Protobuf of an object or of its metadata alone (spec: "Protobuf envelope"). Tables have no binary form. */
export function protobufRepresentation(
  endpoint: Endpoint,
  shape: Shape,
  names: Names,
  meta: MetaSchemas,
  key: string,
): Representation {
  const schema = shape.name === 'partial' ? meta.partialObjectMetadata : endpoint.definition.schema;
  const kind = shape.name === 'partial' ? 'PartialObjectMetadata' : endpoint.definition.kind;
  const apiVersion = shape.apiVersion;
  const raw = (object: ApiObject | Record<string, unknown>) => encodeObject(schema, object);
  const envelope = (bytes: Uint8Array) => encodeUnknown({ apiVersion, kind, raw: bytes });
  // Binary forms are kept as long as the stored object they were made of.
  const object = weakMemo((stored: Stored) => envelope(raw(shape.single(stored))));
  const item = weakMemo((stored: Stored) => raw(shape.item(stored)));
  const status = (value: object) =>
    encodeUnknown({ apiVersion: 'v1', kind: 'Status', raw: encodeObject(meta.status, value as ApiObject) });
  return {
    key,
    contentType: names.protobufMediaType,
    streamContentType: `${names.protobufMediaType};stream=watch`,
    object,
    async *list(listMeta, pages) {
      const items: Uint8Array[] = [];
      for await (const page of pages) for (const stored of page) items.push(item(stored));
      const list = encodeList(encodeObject(meta.listMeta, { ...listMeta }), items);
      yield encodeUnknown({ apiVersion, kind: shape.listKind, raw: list });
    },
    event: (type, stored) => encodeWatchEvent(type, object(stored)),
    bookmark: (bookmark) =>
      encodeWatchEvent('BOOKMARK', envelope(raw(bookmarkObject(kind, apiVersion, names, bookmark)))),
    errorEvent: (value) => encodeWatchEvent('ERROR', status(value)),
  };
}
