import type { CacheEntry } from './cache-entry.js';
import type { Page } from './sorted-entries.js';

/** Entries between two yields. */
const STRIDE = 16;

/** Pages whose entries are all parsed. */
const described = new WeakSet<Page>();

/** Parses the attributes of many objects, once per page. Yields often. */
export function* describing(pages: readonly Page[]): Generator<void, void> {
  for (const page of pages) {
    if (described.has(page)) continue;
    for (let at = 0; at < page.length; at += STRIDE) {
      for (const entry of page.slice(at, at + STRIDE)) parse(entry);
      yield;
    }
    described.add(page);
  }
}

/** Reading the attributes parses them. */
function parse(entry: CacheEntry): void {
  if (entry.failure === undefined) void entry.attributes;
}
