import type { Endpoint, ListMeta } from '@orch/resources';
import type { Key, Row, Version } from '@orch/storage';
import type { Interest, Selection } from '@orch/watchcache';
import { encodeContinue } from './continue-token.js';
import type { ListOptions } from './read-options.js';

export interface ListRequest {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly selection?: Selection;
  readonly options: ListOptions;
  /** The user whose list it is; absent for those of the server itself. */
  readonly user?: string;
  /** Aborts when the client is gone: the list gives up its place, or its wait, and reads no further. Default: never. */
  readonly over?: AbortSignal;
}

export interface Listed {
  readonly meta: ListMeta;
  /** The objects, which must be gone through at least once, and may be again: each time they are the same. */
  readonly pages: AsyncIterable<readonly Row[]>;
  /** The same, for those who take long over each portion: nothing is held meanwhile. */
  readonly windows: AsyncIterable<readonly Row[]>;
  /** Whether they are there already: nothing is held that only going through them gives back. */
  readonly there?: boolean;
}

/**
 * @param last the last object of a page that others follow; undefined at the end
 * @param remaining how many follow, where that is known
 */
export function listMeta(version: Version, last: Key | undefined, remaining: number | undefined): ListMeta {
  const resourceVersion = String(version);
  if (!last) return { resourceVersion };
  const after = { namespace: last.namespace, name: last.name };
  if (remaining === undefined) return { resourceVersion, continue: encodeContinue({ version, after }) };
  const token = encodeContinue({ version, after, left: remaining });
  return { resourceVersion, continue: token, remainingItemCount: remaining };
}

export const interestOf = ({ namespace, selection }: ListRequest): Interest => ({
  ...(namespace && { namespace }),
  ...(selection && { selection }),
});

/** A list whose objects are there already. */
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
