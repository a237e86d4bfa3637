import type { Key, Row, Version } from '@orch/storage';
import type { Interest, Selection } from '@orch/watchcache';
import type { ListMeta } from '../representation/representation.js';
import type { Endpoint } from '../served/endpoint.js';
import { encodeContinue } from './continue-token.js';
import type { ListOptions } from './read-options.js';

export interface ListRequest {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly selection?: Selection;
  readonly options: ListOptions;
}

export interface Listed {
  readonly meta: ListMeta;
  /** The objects, which must be gone through at least once, and may be again: each time they are the same. */
  readonly pages: AsyncIterable<readonly Row[]>;
  /** The same, for those who take long over each portion: nothing is held meanwhile. To be gone through once, and first. */
  readonly windows: AsyncIterable<readonly Row[]>;
}

/** Stands for a number of further items that is not known. */
export const MORE = 1;

/** @param exactCount whether `remaining` is a count (no selector) or only says that there is more */
export function listMeta(version: Version, exactCount: boolean, remaining: number, last: Key | undefined): ListMeta {
  const resourceVersion = String(version);
  if (remaining === 0 || !last) return { resourceVersion };
  const { namespace, name } = last;
  const token = encodeContinue({ version, after: { namespace, name } });
  return { resourceVersion, continue: token, ...(exactCount && { remainingItemCount: remaining }) };
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
});

const pagesOf = (pages: readonly (readonly Row[])[]): AsyncIterable<readonly Row[]> => ({
  async *[Symbol.asyncIterator]() {
    yield* pages;
  },
});
