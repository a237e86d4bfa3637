import type { Key, Row } from '@orch/storage';

export const rowsOf = (count: number, bytes: number): Row[] =>
  Array.from({ length: count }, (_, number) => ({
    namespace: 'a',
    name: String(number).padStart(6, '0'),
    uid: 'u',
    version: 1n,
    storedVersion: '',
    defaults: 0,
    body: { length: bytes } as Buffer,
  }));

/** Rows that come a few at a time, and how many lists of them are open. */
export class PagedSource {
  open = 0;
  readonly asked: number[] = [];
  /** Thrown by what is opened behind a key. */
  failure: Error | undefined;
  /** Thrown in the place of each page. */
  broken: Error | undefined;

  constructor(
    private readonly rows: readonly Row[],
    private readonly together = 100,
  ) {}

  async *pages(from: number, limit: number): AsyncGenerator<readonly Row[]> {
    this.open++;
    try {
      const end = Math.min(this.rows.length, from + limit);
      for (let at = from; at < end; at += this.together) {
        if (this.broken) throw this.broken;
        yield this.rows.slice(at, Math.min(end, at + this.together));
      }
    } finally {
      this.open--;
    }
  }

  behind = async ({ name }: Key, limit: number) => {
    if (this.failure) throw this.failure;
    this.asked.push(limit);
    return this.pages(Number(name) + 1, limit);
  };
}
