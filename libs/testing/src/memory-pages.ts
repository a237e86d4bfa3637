import type { Row } from '@orch/storage';

/** Pages of rows that note when they have been let go. */
export class MemoryPages implements AsyncIterable<readonly Row[]>, AsyncIterator<readonly Row[]> {
  #at = 0;
  #open = true;

  constructor(
    private readonly rows: readonly Row[],
    private readonly size: number,
    private readonly onEnd: () => void,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly Row[]>> {
    if (this.#at >= this.rows.length) return this.return();
    const page = this.rows.slice(this.#at, this.#at + this.size);
    this.#at += this.size;
    return { done: false, value: page };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#at = this.rows.length;
    if (this.#open) this.onEnd();
    this.#open = false;
    return { done: true, value: undefined };
  }
}
