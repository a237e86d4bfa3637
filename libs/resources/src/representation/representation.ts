import type { ApiObject, Names } from '@orch/machinery';
import type { Stored } from '../stored/stored.js';
import type { Piece } from './piece.js';
import type { Surround } from './surround.js';

/** Metadata of a list. */
export interface ListMeta {
  /** Absent for what is computed, and has no versions. */
  readonly resourceVersion?: string;
  /** Continue token for the next page; absent on the last one. */
  readonly continue?: string;
  /** Number of objects behind this page; absent where that is not known. */
  readonly remainingItemCount?: number;
}

/** What a bookmark needs to look like an object of the watched type. */
export interface BookmarkObject {
  readonly resourceVersion: string;
  readonly initialEventsEnd: boolean;
}

/** A collection item by item, for text that is laid out rather than put together from bytes. */
export interface ListParts {
  /** Field that holds the items. */
  readonly itemsField: string;
  /** The other fields. */
  around(meta: ListMeta): Readonly<Record<string, unknown>>;
  /** As JSON on one line. */
  item(stored: Stored): Buffer;
}

/** What has become of an object. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** How the objects of one endpoint go on the wire for what one `Accept` asked for. */
export interface Representation {
  /** Equal keys make equal bytes: watchers of one key share frames. */
  readonly key: string;
  /** Media type of a body that is not a stream. */
  readonly contentType: string;
  /** Undefined for encodings that have no streams. */
  readonly streamContentType: string | undefined;
  /** One object as a whole body. */
  object(stored: Stored): Buffer;
  /** The same, where making it of a large object takes so long that others have turns in between. */
  objectInTurns?(stored: Stored): Promise<Buffer>;
  /** Of JSON alone. */
  readonly parts?: ListParts;
  /** A collection, in pieces of bounded size. The pages may be gone through twice. */
  list(meta: ListMeta, pages: AsyncIterable<readonly Stored[]>): AsyncIterable<Piece>;
  /** One event of a watch stream, without transfer framing. */
  event(type: EventType, stored: Stored): Buffer;
  /** The same with what is to stand around it, without a copy in between. Of JSON alone. */
  eventWithin?(type: EventType, stored: Stored, around: Surround): Buffer;
  /** {@link eventWithin} in pieces, of which the long ones are views of the stored body; undefined where it is not made of that. */
  piecesWithin?(type: EventType, stored: Stored, around?: Surround): readonly Buffer[] | undefined;
  /** An event behind the first of a stream, where it leaves out what that has said. */
  following?(type: EventType, stored: Stored): Buffer;
  /** A `BOOKMARK` event of a watch stream, without transfer framing. */
  bookmark(bookmark: BookmarkObject): Buffer;
  /** An `ERROR` event holding a Status. */
  errorEvent(status: object): Buffer;
}

export type JsonRepresentation = Representation & { readonly parts: ListParts };

/** The object that stands in a bookmark: of the watched type, with nothing but a version. */
export function bookmarkObject(kind: string, apiVersion: string, names: Names, bookmark: BookmarkObject): ApiObject {
  return {
    kind,
    apiVersion,
    metadata: {
      resourceVersion: bookmark.resourceVersion,
      creationTimestamp: null,
      ...(bookmark.initialEventsEnd && { annotations: { [names.initialEventsEnd]: 'true' } }),
    },
  };
}
