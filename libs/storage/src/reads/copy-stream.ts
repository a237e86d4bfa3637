import { DatabaseError, type Submittable, type Connection as Wire } from 'pg';
import { ConnectionLostError } from '../connections/failures.js';
import type { TextRow } from './text-row.js';

/** Decodes one row of the copied result from a message of the server, which is valid until the next one arrives. */
export type ReadTuple<T> = (message: Buffer, at: number) => T;

export interface CopyLimits {
  /** Maximum number of rows returned at once. */
  readonly rows: number;
  /** Bytes of messages that may wait to be read; the size of one read from the socket comes on top. */
  readonly bytes: number;
}

/** Signature, flags and length of the extension that stand before the first row (PostgreSQL, "COPY", "Binary Format"). */
const HEADER_BYTES = 19;
/** Field count that marks the end of the rows (the trailer of a binary COPY). */
const TRAILER = -1;

/** Callbacks that the driver makes on the query in progress; its declared type leaves most of them out. */
interface DriverMessages {
  handleRowDescription(): void;
  handleDataRow(message: { readonly fields: (string | null)[] }): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleCopyData(message: { readonly chunk: Buffer }): void;
  handleError(error: Error): void;
}

/**
 * Statements of which one is `COPY … TO STDOUT (FORMAT binary)`, run as one message. The rows of SELECTs before it come
 * first, as text; the copied rows then stream as bytes, and reading from the socket pauses while too many of them wait.
 *
 * COPY is used because the driver reads every column of an ordinary result as text: hexadecimal for bytes, at twice
 * their size.
 */
export class CopyStream<T> implements Submittable, DriverMessages {
  readonly #heading: TextRow[] = [];
  #queue: T[] = [];
  #bytes = 0;
  #started = false;
  #ended = false;
  #failure: Error | undefined;
  #discarded: number | undefined;
  #socket: { pause(): unknown; resume(): unknown } | undefined;
  #wake: () => void = () => undefined;

  /** @param text the statements; the driver sends no parameters with them */
  constructor(
    private readonly text: string,
    private readonly read: ReadTuple<T>,
    private readonly limits: CopyLimits,
  ) {}

  /** The rows of the SELECTs, once the copy begins. @throws the driver's error */
  async heading(): Promise<readonly TextRow[]> {
    await this.#until(() => this.#started || this.#ended);
    return this.#heading;
  }

  /** The rows that have arrived, at most a page of them; undefined behind the last. @throws the driver's error */
  async next(): Promise<readonly T[] | undefined> {
    await this.#until(() => this.#queue.length > 0 || this.#ended);
    if (this.#queue.length === 0) return undefined;
    const page = this.#queue.length <= this.limits.rows ? this.#queue : this.#queue.slice(0, this.limits.rows);
    this.#queue = page === this.#queue ? [] : this.#queue.slice(this.limits.rows);
    if (this.#queue.length === 0) {
      this.#bytes = 0;
      this.#socket?.resume();
    }
    return page;
  }

  /** Reads on without keeping anything. Resolves with whether the end came within this many bytes. */
  async discard(bytes: number): Promise<boolean> {
    this.#queue = [];
    this.#discarded = bytes;
    this.#socket?.resume();
    await this.#until(() => this.#ended || (this.#discarded ?? 0) < 0).catch(() => undefined);
    return this.#ended;
  }

  submit(wire: Wire): void {
    const { stream } = wire as unknown as { readonly stream: { pause(): unknown; resume(): unknown } };
    this.#socket = stream;
    wire.query(this.text);
  }

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    this.#heading.push(fields);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const at = this.#started ? 0 : HEADER_BYTES;
    this.#started = true;
    if (chunk.length >= at + 2 && chunk.readInt16BE(at) !== TRAILER) this.#take(chunk, at);
    this.#wake();
  }

  handleReadyForQuery(): void {
    this.#end(undefined);
  }

  /** The driver reports a lost connection as a plain error. */
  handleError(error: Error): void {
    this.#end(error instanceof DatabaseError ? error : lost(error));
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}

  #take(chunk: Buffer, at: number): void {
    if (this.#discarded !== undefined) {
      this.#discarded -= chunk.length;
      return;
    }
    this.#queue.push(this.read(chunk, at));
    this.#bytes += chunk.length;
    if (this.#bytes >= this.limits.bytes || this.#queue.length >= 2 * this.limits.rows) this.#socket?.pause();
  }

  #end(failure: Error | undefined): void {
    this.#ended = true;
    this.#failure = failure;
    // Whatever the connection runs next must be able to read.
    this.#socket?.resume();
    this.#wake();
  }

  async #until(met: () => boolean): Promise<void> {
    while (!met()) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#failure) throw this.#failure;
  }
}

const lost = (cause: Error): ConnectionLostError =>
  new ConnectionLostError('the connection to the database was lost', { cause });
