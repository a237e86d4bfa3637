/** Stream of a container that a line of its log comes from. */
export type LogStream = 'stdout' | 'stderr';

/** Bytes of text in one line of a log; a longer line of output is split, with the tag `P` on all pieces but the last. */
const LONGEST_LINE = 16 << 10;
const NEWLINE = 0x0a;

/**
 * Formats one stream of a container's output as lines of a CRI log: time, stream, `F` (full) or `P` (partial: the next
 * line of the stream continues it), text.
 */
export class LogLines {
  #rest: Buffer = Buffer.alloc(0);

  /** @param time returns the time as in RFC 3339 with nanoseconds */
  constructor(
    private readonly stream: LogStream,
    private readonly time: () => string,
  ) {}

  /** Returns the lines that a piece of output completes; an incomplete one is kept. */
  push(piece: Uint8Array): Buffer {
    const lines: Buffer[] = [];
    let text = this.#rest.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const end = text.indexOf(NEWLINE);
      if (end >= 0 && end <= LONGEST_LINE) {
        lines.push(this.#line('F', text.subarray(0, end)));
        text = text.subarray(end + 1);
      } else if (text.length > LONGEST_LINE) {
        lines.push(this.#line('P', text.subarray(0, LONGEST_LINE)));
        text = text.subarray(LONGEST_LINE);
      } else break;
    }
    this.#rest = Buffer.from(text);
    return Buffer.concat(lines);
  }

  /** Returns the line that the output ended within; empty if it ended with a newline. */
  end(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest.length === 0 ? rest : this.#line('P', rest);
  }

  #line(tag: 'F' | 'P', text: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${this.time()} ${this.stream} ${tag} `), text, Buffer.of(NEWLINE)]);
  }
}

/** Returns a time as logs have it: RFC 3339 in UTC with nine digits of fraction. @param wall ms since 1970, with fractions */
export function logTime(wall: number): string {
  const seconds = Math.floor(wall / 1000);
  const nanoseconds = Math.round((wall - seconds * 1000) * 1e6);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(nanoseconds).padStart(9, '0')}Z`;
}
