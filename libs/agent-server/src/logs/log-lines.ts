/** Bytes of a line, at most; runtimes cut theirs at 16 KiB. */
const MOST_LINE = 1 << 20;
const NEW_LINE = 0x0a;
const SPACE = 0x20;

/** Cuts bytes into lines, each with its end. */
export class LineCutter {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns the lines that are whole with these bytes. */
  take(bytes: Buffer): Buffer[] {
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    const lines: Buffer[] = [];
    let at = 0;
    for (let end = all.indexOf(NEW_LINE); end >= 0; end = all.indexOf(NEW_LINE, at)) {
      lines.push(all.subarray(at, end + 1));
      at = end + 1;
    }
    this.#rest = Buffer.from(all.subarray(at));
    if (this.#rest.length > MOST_LINE) this.#rest = Buffer.alloc(0);
    return lines;
  }
}

/** How lines are shown. */
interface LineFormat {
  /** Whether each line begins with its time. */
  readonly timestamps: boolean;
  /** Milliseconds since 1970 of the first line; absent for all. */
  readonly since?: number;
}

/** Turns lines of a log as runtimes write it (`TIME STREAM TAGS TEXT`) into what the container has written. */
export class LogFormatter {
  #isWhole = true;

  constructor(private readonly format: LineFormat) {}

  /** Returns what is shown of a line; empty for lines that are too old, or no lines of a log. */
  shown(line: Buffer): Buffer {
    const [first, second, third] = spacesOf(line);
    if (first === undefined || second === undefined) return NOTHING;
    const time = line.toString('latin1', 0, first);
    const isPartial = line[second + 1] === PARTIAL;
    const text = third === undefined ? NOTHING : line.subarray(third + 1);
    const { timestamps, since } = this.format;
    if (since !== undefined && Date.parse(time) < since) return NOTHING;
    const begins = this.#isWhole;
    this.#isWhole = !isPartial;
    const shown = isPartial ? text.subarray(0, -1) : text;
    return timestamps && begins ? Buffer.concat([Buffer.from(`${time} `), shown]) : shown;
  }
}

const NOTHING = Buffer.alloc(0);
/** Tag of a line that the next one goes on with. */
const PARTIAL = 'P'.charCodeAt(0);

function spacesOf(line: Buffer): (number | undefined)[] {
  const found: number[] = [];
  for (let at = line.indexOf(SPACE); at >= 0 && found.length < 3; at = line.indexOf(SPACE, at + 1)) found.push(at);
  return found;
}
