import type { Endpoint, ListMeta } from '@orch/resources';
import type { Key, Row, Version } from '@orch/storage';
import type { Interest, Selection } from '@orch/watchcache';
import { encodeContinue } from './continue-token.js';
import type { ListOptions } from './read-options.js';

/** A list to be read: its endpoint, namespace, selection and options. */
export interface ListRequest {
  /** Endpoint that serves the objects. */
  readonly endpoint: Endpoint;
  /** Namespace of the list; empty for all namespaces. */
  readonly namespace: string;
  /** Selector of the list; absent if everything is selected. */
  readonly selection?: Selection;
  /** Parsed query. */
  readonly options: ListOptions;
  /** User that lists; absent for the server's own lists. */
  readonly user?: string;
  /** Aborts when the client is gone: the list gives up its place, or its wait, and reads no further. Default: never. */
  readonly over?: AbortSignal;
}

/** A list: its metadata and its objects. */
export interface Listed {
  /** Metadata of the list. */
  readonly meta: ListMeta;
  /** Objects of the list; must be iterated at least once, and may be again: each iteration yields the same. */
  readonly pages: AsyncIterable<readonly Row[]>;
  /** The same objects, for readers that take long over each portion: no resource is held in between. */
  readonly windows: AsyncIterable<readonly Row[]>;
  /** Whether the objects are in memory already, so that no resource is held until they have been iterated. */
  readonly there?: boolean;
}

/**
 * @param last the last object of a page that others follow; undefined on the last page
 * @param remaining the number of objects that follow, if known
 */
export function listMeta(version: Version, last: Key | undefined, remaining: number | undefined): ListMeta {
  const resourceVersion = String(version);
  if (!last) return { resourceVersion };
  const after = { namespace: last.namespace, name: last.name };
  if (remaining === undefined) return { resourceVersion, continue: encodeContinue({ version, after }) };
  const token = encodeContinue({ version, after, left: remaining });
  return { resourceVersion, continue: token, remainingItemCount: remaining };
}

/** Returns the namespace and the selection of a list, where it has them. */
export const interestOf = ({ namespace, selection }: ListRequest): Interest => ({
  ...(namespace && { namespace }),
  ...(selection && { selection }),
});

/** Returns a list whose objects are in memory already. */
export const listedFrom = (meta: ListMeta, pages: readonly (readonly Row[])[]): Listed => ({
  meta,
  pages: pagesOf(pages),
  windows: pagesOf(pages),
  there: true,
});

const pagesOf = (pages: readonly (readonly Row[])[]): AsyncIterable<readonly Row[]> => ({
  async *[Symbol.asyncIterator]() {
    yield* pages;
  },
});
