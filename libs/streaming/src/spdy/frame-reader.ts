import { FIN, HEAD_BYTES, PING, RST_STREAM, SYN_REPLY, SYN_STREAM } from './frames.js';

/** The owner of a connection: takes what the frames of the other side say. */
interface FrameReceiver {
  /** A piece of a stream's data has come. */
  data(id: number, bytes: Buffer): void;
  /** The other side sends no more on a stream, in order or not. */
  ended(id: number): void;
  /** The other side wants this payload back, if the ping is its own. */
  ping(payload: Buffer): void;
  /** The other side opens a stream. Absent: its streams are not looked at. @param payload as in the frame */
  opening?(payload: Buffer, isLast: boolean): void;
  /** A frame that opens a stream is longer than is kept. */
  overlong?(): void;
}

/** Bytes of a control frame's payload that are looked at, where the other side opens no streams. */
const MOST_KEPT = 8;

/** Reads frames of SPDY/3.1 as they arrive, and keeps none: pieces of data are handed on at once. */
export class FrameReader {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  readonly #kept: Buffer;
  /** Bytes of the head, and of the payload's beginning where that is kept, that have come. */
  #headBytes = 0;
  #keptBytes = 0;
  /** Bytes of the payload that are still to come. */
  #left = 0;
  #isStopped = false;

  /** @param mostKept bytes of the payload of a control frame that are looked at */
  constructor(
    private readonly receiver: FrameReceiver,
    mostKept = MOST_KEPT,
  ) {
    this.#kept = Buffer.alloc(mostKept);
  }

  /** Takes bytes of the connection; returns how many, fewer than there are behind a frame at which it was stopped. */
  take(bytes: Buffer): number {
    let at = 0;
    this.#isStopped = false;
    while (at < bytes.length && !this.#isStopped)
      at += this.#headBytes < HEAD_BYTES ? this.#takeHead(bytes, at) : this.#takePayload(bytes, at);
    return at;
  }

  /** Takes nothing behind the current frame, until more is given. */
  stop(): void {
    this.#isStopped = true;
  }

  #takeHead(bytes: Buffer, at: number): number {
    const taken = bytes.copy(this.#head, this.#headBytes, at, at + HEAD_BYTES - this.#headBytes);
    this.#headBytes += taken;
    if (this.#headBytes === HEAD_BYTES) {
      this.#left = this.#head.readUIntBE(5, 3);
      if (this.#left === 0) this.#end();
    }
    return taken;
  }

  #takePayload(bytes: Buffer, at: number): number {
    const piece = bytes.subarray(at, at + this.#left);
    this.#left -= piece.length;
    if (this.#isControl) this.#keptBytes += piece.copy(this.#kept, this.#keptBytes);
    else this.receiver.data(this.#stream, piece);
    if (this.#left === 0) this.#end();
    return piece.length;
  }

  get #isControl(): boolean {
    return (this.#head[0] ?? 0) >= 0x80;
  }

  get #stream(): number {
    return this.#head.readUInt32BE(0);
  }

  /** The frame is whole. */
  #end(): void {
    const isLast = ((this.#head[4] ?? 0) & FIN) !== 0;
    if (this.#isControl) this.#control(this.#head.readUInt16BE(2), isLast);
    else if (isLast) this.receiver.ended(this.#stream);
    this.#headBytes = 0;
    this.#keptBytes = 0;
  }

  #control(type: number, isLast: boolean): void {
    if (type === SYN_STREAM) this.#opening(isLast);
    else if (this.#keptBytes >= 4) this.#ofStream(type, isLast);
  }

  #ofStream(type: number, isLast: boolean): void {
    const payload = this.#kept.subarray(0, 4);
    if (type === PING) this.receiver.ping(payload);
    else if (type === RST_STREAM || (type === SYN_REPLY && isLast))
      this.receiver.ended(payload.readUInt32BE() & 0x7fffffff);
  }

  #opening(isLast: boolean): void {
    if (this.#head.readUIntBE(5, 3) > this.#kept.length) this.receiver.overlong?.();
    else this.receiver.opening?.(Buffer.from(this.#kept.subarray(0, this.#keptBytes)), isLast);
  }
}
