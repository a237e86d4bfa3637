import type { Submittable, Connection as Wire } from 'pg';

/** Bytes that may wait to be read; the size of one read from the socket comes on top. */
const MAX_WAITING = 1 << 20;

/**
 * A command of PostgreSQL that answers with rows and then a COPY, whose messages can be iterated over. Reading from the
 * socket pauses while too many of them wait.
 */
export class CopyMessages implements Submittable, AsyncIterable<Buffer> {
  /** Rows before the COPY; complete once the first message, or the end, has arrived. */
  readonly rows: (readonly (string | null)[])[] = [];
  #queue: Buffer[] = [];
  #waiting = 0;
  #ended = false;
  #failure: Error | undefined;
  #socket: { pause(): unknown; resume(): unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(private readonly command: string) {}

  /** @throws the driver's error */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      while (this.#queue.length === 0 && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
      if (this.#failure) throw this.#failure;
      if (this.#queue.length === 0) return;
      const taken = this.#queue;
      this.#queue = [];
      this.#waiting = 0;
      this.#socket?.resume();
      yield* taken;
    }
  }

  submit(wire: Wire): void {
    const { stream } = wire as unknown as { readonly stream: { pause(): unknown; resume(): unknown } };
    this.#socket = stream;
    wire.query(this.command);
  }

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    this.rows.push(fields);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The driver overwrites it with its next read.
    this.#queue.push(Buffer.from(chunk));
    this.#waiting += chunk.length;
    if (this.#waiting >= MAX_WAITING) this.#socket?.pause();
    this.#wake();
  }

  handleReadyForQuery(): void {
    this.#ended = true;
    this.#wake();
  }

  handleError(error: Error): void {
    this.#failure ??= error;
    this.#ended = true;
    this.#wake();
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
}
