import type { Clock } from '@orch/feed';
import type { CacheEntry } from './cache-entry.js';
import type { Page } from './sorted-entries.js';

/** Milliseconds of work in one turn of the event loop. */
const BUDGET = 4;
/** Entries between looks at the clock. */
const STRIDE = 16;

/** Parses the attributes of many objects without holding up the event loop; of each page once. */
export class Describing {
  readonly #done = new WeakSet<Page>();

  constructor(private readonly clock: Clock) {}

  async describe(pages: readonly Page[]): Promise<void> {
    let end = this.clock.now() + BUDGET;
    for (const page of pages) {
      if (this.#done.has(page)) continue;
      for (let at = 0; at < page.length; at += STRIDE) {
        for (const entry of page.slice(at, at + STRIDE)) parse(entry);
        if (this.clock.now() < end) continue;
        await new Promise<void>((resolve) => {
          this.clock.soon(resolve);
        });
        end = this.clock.now() + BUDGET;
      }
      this.#done.add(page);
    }
  }
}

/** Reading the attributes is what parses them. */
function parse(entry: CacheEntry): void {
  void entry.attributes;
}
