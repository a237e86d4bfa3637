/** Kinds of frames between a supervisor and who is attached to its container. */
export const FRAME = { stdin: 0, stdout: 1, stderr: 2, exit: 3, stdinEnd: 4 } as const;

const PREFIX = 5;
/** Bytes of a frame's content; senders split what is longer. */
const LONGEST = 1 << 20;

/** Returns a frame: its kind, the length of its content, the content. */
export function frame(kind: number, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const made = Buffer.allocUnsafe(PREFIX + content.length);
  made.writeUInt8(kind, 0);
  made.writeUInt32BE(content.length, 1);
  made.set(content, PREFIX);
  return made;
}

/** Cuts a stream of bytes into frames. */
export class SupervisorFrameReader {
  #rest: Buffer = Buffer.alloc(0);

  constructor(private readonly handle: (kind: number, content: Buffer) => void) {}

  /** Handles the frames that a piece completes. @throws Error for a frame that is too long */
  push(piece: Buffer): void {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (this.#rest.length >= PREFIX) {
      const length = this.#rest.readUInt32BE(1);
      if (length > LONGEST) throw new Error(`a frame of ${length} bytes`);
      if (this.#rest.length < PREFIX + length) return;
      const [kind, content] = [this.#rest.readUInt8(0), this.#rest.subarray(PREFIX, PREFIX + length)];
      this.#rest = this.#rest.subarray(PREFIX + length);
      this.handle(kind, content);
    }
  }
}

/** Request to a supervisor: the first line of a connection. */
export type SupervisorRequest =
  | { readonly op: 'signal'; readonly signal: string }
  | { readonly op: 'reopen' }
  | { readonly op: 'attach' };
