/** Finds the ends of frames in the bytes of a stream, which arrive in arbitrary pieces. */
export interface FrameEnds {
  /** Takes the next bytes; returns how many of them belong to frames that end within them, 0 if none ends. */
  take(bytes: Buffer): number;
  /** Whether the bytes so far end at the end of a frame. */
  readonly whole: boolean;
}

const NEWLINE = 0x0a;

/** Finds the ends of the events of a JSON watch: each event is a line. */
export class LineEnds implements FrameEnds {
  whole = true;

  take(bytes: Buffer): number {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (bytes.length > 0) this.whole = end === bytes.length;
    return end;
  }
}

/** Finds the ends of length-prefixed frames. */
class PrefixedEnds implements FrameEnds {
  #head = Buffer.alloc(0);
  #left = 0;

  /**
   * @param lengthOf returns the length of a frame, including its head, from its first bytes; undefined if more are
   * needed
   * @param longestHead number of bytes that is always enough for that
   */
  constructor(
    private readonly lengthOf: (head: Buffer) => number | undefined,
    private readonly longestHead: number,
  ) {}

  get whole(): boolean {
    return this.#left === 0 && this.#head.length === 0;
  }

  take(bytes: Buffer): number {
    let end = 0;
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) {
        const begun = this.#head.length;
        const head = Buffer.concat([this.#head, bytes.subarray(at, at + this.longestHead - begun)]);
        const length = this.lengthOf(head);
        if (length === undefined) {
          this.#head = head;
          return end;
        }
        this.#head = Buffer.alloc(0);
        this.#left = length;
        at -= begun;
      }
      const step = Math.min(this.#left, bytes.length - at);
      at += step;
      this.#left -= step;
      if (this.#left === 0) end = at;
    }
    return end;
  }
}

/** Frames of a protobuf watch: four bytes of length, big-endian, and the event. */
export const protobufEnds = (): FrameEnds =>
  new PrefixedEnds((head) => (head.length < 4 ? undefined : 4 + head.readUInt32BE(0)), 4);

/** Frames that a server sends over a WebSocket, which are not masked (RFC 6455 section 5.2). */
export const webSocketEnds = (): FrameEnds =>
  new PrefixedEnds((head) => {
    const short = (head[1] ?? 0) & 0x7f;
    if (head.length < 2) return undefined;
    if (short < 126) return 2 + short;
    if (short === 126) return head.length < 4 ? undefined : 4 + head.readUInt16BE(2);
    return head.length < 10 ? undefined : 10 + Number(head.readBigUInt64BE(2));
  }, 10);
