import type { ApiObject, Names } from '@orch/machinery';
import type { Stored } from '../endpoint.js';

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** What a bookmark needs to look like an object of the watched type. */
export interface BookmarkObject {
  readonly resourceVersion: string;
  readonly initialEventsEnd: boolean;
}

/** How the objects of one endpoint go on the wire for what one `Accept` asked for. */
export interface Representation {
  /** Equal keys make equal bytes: watchers of one key share frames. */
  readonly key: string;
  readonly contentType: string;
  /** Undefined for encodings that have no streams. */
  readonly streamContentType: string | undefined;
  /** One object as a whole body. */
  object(stored: Stored): Buffer;
  /** A collection, in pieces of bounded size. */
  list(meta: ListMeta, pages: AsyncIterable<readonly Stored[]>): AsyncIterable<Buffer>;
  /** One event of a watch stream, without transfer framing. */
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', stored: Stored): Buffer;
  bookmark(bookmark: BookmarkObject): Buffer;
  /** An `ERROR` event holding a Status. */
  errorEvent(status: object): Buffer;
}

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
