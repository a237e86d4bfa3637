import { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/**
 * The path of one watch's bytes into its connection. Pieces are shared by many watches and cost nothing while they wait
 * here; once in the connection they are memory of this watch alone, as TLS encrypts a write as a whole and HTTP/2 may.
 * So the connection gets no more than a limit of bytes at a time, in slices of the waiting pieces.
 */
export class WatchOutput {
  /** Pieces that have not been written to the connection completely, in order. */
  #pieces: Buffer[] | undefined;
  /** Bytes of the first piece that have been written. */
  #given = 0;
  /** Bytes of all pieces that have not been written. */
  #queued = 0;
  /** Writes that the connection has not completed. */
  #underWay = 0;
  #refused = false;
  #onDrain: (() => void) | undefined;
  #ending: { readonly last: Buffer | undefined } | undefined;
  #departures = 0;
  readonly #sent = (error?: Error | null): void => this.#goOn(error);

  constructor(
    private readonly stream: Writable,
    private readonly outputs: WatchOutputs,
  ) {}

  /** Starts the output. Calls back once, when the connection is closed. */
  open(onClose: () => void): void {
    if (this.stream.destroyed) {
      onClose();
      return;
    }
    this.outputs.add(this);
    this.stream.once('close', () => {
      this.outputs.delete(this);
      this.#pieces = undefined;
      onClose();
    });
  }

  /** Counter that increases with each write that has left the process, and with {@link acknowledged}. */
  get departures(): number {
    return this.#departures;
  }

  /** Records that the client has read some of the bytes sent before. */
  acknowledged(): void {
    this.#departures++;
  }

  /** Whether more was refused, which lasts until the client has read. */
  get stalled(): boolean {
    return this.#refused;
  }

  /** Connection of this watch alone; undefined for a stream of a shared connection. */
  get socket(): Socket | undefined {
    return this.stream instanceof Socket ? this.stream : undefined;
  }

  /** Bytes in the connection's buffer: memory of this watch alone. */
  get own(): number {
    return this.stream.writableLength;
  }

  /** Waiting pieces, which other watches may share. */
  get pieces(): readonly Buffer[] {
    return this.#pieces ?? [];
  }

  /** Whether everything has left the process. */
  get idle(): boolean {
    return this.#queued === 0 && this.own === 0;
  }

  /**
   * Writes a piece. Returns false to ask for no more until `onDrain` calls back: the piece is queued, beyond the limit.
   */
  write(piece: Buffer): boolean {
    const before = this.own + this.#queued;
    if (before + piece.length <= this.outputs.limit) this.#send(piece);
    else this.#queue(piece);
    return this.#takesMore(before);
  }

  /** {@link write} for pieces that belong together. */
  writePieces(pieces: readonly Buffer[]): boolean {
    const before = this.own + this.#queued;
    let whole = before;
    for (const { length } of pieces) whole += length;
    for (const piece of pieces) {
      if (whole <= this.outputs.limit) this.#send(piece);
      else this.#queue(piece);
    }
    return this.#takesMore(before);
  }

  /** @param before bytes that were pending before the last write */
  #takesMore(before: number): boolean {
    if (!this.#refused && before > 0 && this.own + this.#queued >= this.outputs.limit) {
      this.#refused = true;
      this.outputs.onStall();
    }
    return !this.#refused;
  }

  /** Set once. Called from the event loop, never from within `write`. */
  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** Ends the connection after all queued output. Nothing may be written any more. */
  end(last?: Buffer): void {
    if (this.#pieces) this.#ending = { last };
    else this.stream.end(last);
  }

  #queue(piece: Buffer): void {
    this.#pieces ??= [];
    this.#pieces.push(piece);
    this.#queued += piece.length;
    this.#give();
  }

  /** Called when a write has left the process, or has failed; after an error none will succeed. */
  #goOn(error: Error | null | undefined): void {
    this.#underWay--;
    if (error) return;
    this.#departures++;
    this.#give();
    if (this.#pieces) return;
    if (this.#ending) {
      this.stream.end(this.#ending.last);
      this.#ending = undefined;
    } else if (this.#refused && this.own < this.outputs.limit) {
      this.#refused = false;
      this.#onDrain?.();
    }
  }

  /**
   * Writes as much to the connection as its limit allows, but no small slices, as each would be a record and a system
   * call.
   */
  #give(): void {
    for (let piece = this.#pieces?.[0]; piece; piece = this.#pieces?.[0]) {
      const left = piece.length - this.#given;
      const room = this.outputs.limit - this.own;
      // Without a write in progress there would be no callback: answers to earlier requests may still fill the
      // connection.
      if (this.#underWay > 0 && room < Math.min(left, this.outputs.limit / 2)) return;
      const size = Math.min(left, Math.max(room, this.outputs.limit / 2));
      const slice = piece.subarray(this.#given, this.#given + size);
      this.#given += size;
      this.#queued -= size;
      if (size === left) this.#next();
      this.#send(slice);
    }
  }

  #send(bytes: Buffer): void {
    this.#underWay++;
    this.stream.write(bytes, this.#sent);
  }

  #next(): void {
    this.#given = 0;
    this.#pieces?.shift();
    if (this.#pieces?.length === 0) this.#pieces = undefined;
  }
}

/** Registry of the watch outputs of a process, and of the bytes that wait for their clients. */
export class WatchOutputs {
  readonly #open = new Set<WatchOutput>();

  /** @param limit bytes that may be in the connection's buffer of one watch */
  constructor(readonly limit: number) {}

  /** Called for each watch whose connection is full. Set once. */
  onStall: () => void = () => undefined;

  /** Iterates over the watches that have refused more since their clients last read. */
  *stalled(): Generator<WatchOutput> {
    for (const output of this.#open) if (output.stalled) yield output;
  }

  /** Registers an output; it counts until it is deleted. */
  add(output: WatchOutput): void {
    this.#open.add(output);
  }

  /** Removes an output whose stream is over. */
  delete(output: WatchOutput): void {
    this.#open.delete(output);
  }

  /**
   * Counts the bytes that wait now: those of single watches, and those of shared pieces, each counted once however many
   * watches hold it.
   */
  waiting(): { own: number; shared: number } {
    let own = 0;
    const pieces = new Set<Buffer>();
    for (const output of this.#open) {
      own += output.own;
      for (const piece of output.pieces) pieces.add(piece);
    }
    let shared = 0;
    for (const { length } of pieces) shared += length;
    return { own, shared };
  }
}
