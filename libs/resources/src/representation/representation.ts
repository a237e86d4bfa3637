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
  /** Number of objects behind this page; absent where that is not known. */
  readonly remainingItemCount?: number;
}

/** Type and version of a bookmark, which has the shape of an object of the watched kind. */
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
  /** Encodes an item as JSON on one line. */
  item(stored: Stored): Buffer;
}

/** Type of a watch event. */
type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Encodes the objects of one endpoint for one `Accept` header. */
export interface Representation {
  /** Identifies the encoding: equal keys make equal bytes, so that watchers of one key share frames. */
  readonly key: string;
  /** Media type of a body that is not a stream. */
  readonly contentType: string;
  /** Media type of a watch stream; undefined for encodings that have none. */
  readonly streamContentType: string | undefined;
  /** Encodes one object as a whole body. */
  object(stored: Stored): Buffer;
  /** Encodes a large object as {@link object} does, and yields to the event loop in between. */
  objectInTurns?(stored: Stored): Promise<Buffer>;
  /** Parts of which a list is assembled; JSON alone has them. */
  readonly parts?: ListParts;
  /** Encodes a collection in pieces of bounded size. The pages may be iterated twice. */
  list(meta: ListMeta, pages: AsyncIterable<readonly Stored[]>): AsyncIterable<Piece>;
  /** Encodes one event of a watch stream, without transfer framing. */
  event(type: EventType, stored: Stored): Buffer;
  /** Encodes an event with bytes before and behind it, without a copy in between. JSON alone has it. */
  eventWithin?(type: EventType, stored: Stored, around: Surround): Buffer;
  /**
   * Encodes as {@link eventWithin} does, in pieces that are views of the stored body where they are long; undefined
   * where the event is not made from the stored body.
   */
  piecesWithin?(type: EventType, stored: Stored, around?: Surround): readonly Buffer[] | undefined;
  /** Encodes an event behind the first of a stream, where it omits what the first has defined. */
  following?(type: EventType, stored: Stored): Buffer;
  /** Encodes a `BOOKMARK` event, without transfer framing. */
  bookmark(bookmark: BookmarkObject): Buffer;
  /** Encodes an `ERROR` event that holds a Status. */
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
