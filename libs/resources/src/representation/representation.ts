import type { ApiObject, Names } from '@orch/machinery';
import type { Stored } from '../stored/stored.js';
import type { Piece } from './piece.js';
import type { Surround } from './surround.js';

/** Metadata of a list. */
export interface ListMeta {
  /** Version of the list; absent for virtual resources, which have none. */
  readonly resourceVersion?: string;
  /** Continue token for the next page; absent on the last one. */
  readonly continue?: string;
  /** Number of objects behind this page; absent if unknown. */
  readonly remainingItemCount?: number;
}

/** Type and version of a bookmark, which has the shape of an object of the watched kind. */
export interface BookmarkObject {
  readonly resourceVersion: string;
  readonly initialEventsEnd: boolean;
}

/**
 * Parts of a collection for encodings that are indented or converted item by item, instead of concatenated from bytes.
 */
export interface ListParts {
  /** Field that holds the items. */
  readonly itemsField: string;
  /** Returns the other fields. */
  around(meta: ListMeta): Readonly<Record<string, unknown>>;
  /** Encodes an item as JSON on one line. */
  item(stored: Stored): Buffer;
}

/** Type of a watch event. */
type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Encodes the objects of one endpoint for one `Accept` header. */
export interface Representation {
  /** Identifies the encoding: equal keys produce equal bytes, so that watchers of one key share frames. */
  readonly key: string;
  /** Media type of a body that is not a stream. */
  readonly contentType: string;
  /** Media type of a watch stream; undefined for encodings that have no streams. */
  readonly streamContentType: string | undefined;
  /** Encodes one object as a whole body. */
  object(stored: Stored): Buffer;
  /** Encodes a large object as {@link object} does, and yields to the event loop in between. */
  objectInTurns?(stored: Stored): Promise<Buffer>;
  /** Parts of which a list is assembled; only JSON has them. */
  readonly parts?: ListParts;
  /** Encodes a collection in pieces of bounded size. The pages may be iterated twice. */
  list(meta: ListMeta, pages: AsyncIterable<readonly Stored[]>): AsyncIterable<Piece>;
  /** Encodes one event of a watch stream, without transfer framing. */
  event(type: EventType, stored: Stored): Buffer;
  /** Encodes an event between a prefix and a suffix, without an intermediate copy. Only JSON has it. */
  eventWithin?(type: EventType, stored: Stored, around: Surround): Buffer;
  /**
   * Encodes as {@link eventWithin} does, in pieces; long pieces are views of the stored body. Undefined if the event is
   * not made from the stored body.
   */
  piecesWithin?(type: EventType, stored: Stored, around?: Surround): readonly Buffer[] | undefined;
  /** Encodes an event behind the first of a stream, without the definitions that the first has made. */
  following?(type: EventType, stored: Stored): Buffer;
  /** Encodes a `BOOKMARK` event, without transfer framing. */
  bookmark(bookmark: BookmarkObject): Buffer;
  /** Encodes an `ERROR` event that holds a Status. */
  errorEvent(status: object): Buffer;
}

/** A representation as JSON, whose lists have {@link ListParts}. */
export type JsonRepresentation = Representation & { readonly parts: ListParts };

/** Returns the object of a bookmark: of the watched type, with a version only. */
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
