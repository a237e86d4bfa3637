import { ChunkReader } from './connection.js';
import type { Histogram } from './histogram.js';

const LINE_FEED = 10;
const QUOTE = 34;
const SENT = Buffer.from('"sent":"');

/** Counts the events of one watch stream. */
export class EventCounter {
  bytes = 0;
  events = 0;
  ended = false;
  readonly #chunks: ChunkReader | undefined;

  /** `chunked`: the bytes are framed as HTTP/1.1 frames them. */
  constructor(chunked: boolean) {
    this.#chunks = chunked ? new ChunkReader((data) => this.#countLines(data)) : undefined;
  }

  countEvents(data: Buffer): void {
    if (this.#chunks) this.#chunks.push(data);
    else this.#countLines(data);
  }

  /** Every event ends with a line feed, and no JSON text in one line holds another. */
  #countLines(data: Buffer): void {
    for (let at = data.indexOf(LINE_FEED); at >= 0; at = data.indexOf(LINE_FEED, at + 1)) this.events++;
  }
}

/** Records how old the events are whose time of sending lies whole in these bytes. */
export function recordAges(data: Buffer, now: number, ages: Histogram): void {
  for (let at = data.indexOf(SENT); at >= 0; at = data.indexOf(SENT, at + SENT.length)) {
    const start = at + SENT.length;
    const end = data.indexOf(QUOTE, start);
    if (end > 0) ages.record(now - Number(data.toString('latin1', start, end)));
  }
}
