import { constants, createInflate, type Inflate } from 'node:zlib';
import { DICTIONARY } from './dictionary.js';

/** Bytes of the headers of a stream, at most; those of a command have 50. */
const MAX_BLOCK = 16 << 10;
/** Headers of a stream, at most. */
const MAX_HEADERS = 64;

/** Reads the headers of streams, which all belong to one compressed text: in the order of their frames. */
export class HeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary: DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });
  #block: Buffer[] = [];
  #size = 0;
  #failed: Error | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#inflate.on('data', (piece: Buffer) => {
      this.#size += piece.length;
      if (this.#size <= MAX_BLOCK) this.#block.push(piece);
      else this.#inflate.destroy(new Error('the headers of a stream are too long'));
    });
    this.#inflate.on('error', (error) => {
      this.#failed = error;
    });
  }

  /** Reads the headers of the next stream. @throws Error for headers that are none, or too long */
  read(compressed: Buffer): Promise<ReadonlyMap<string, string>> {
    const reading = this.#last.then(() => this.#read(compressed));
    this.#last = reading.catch(() => undefined);
    return reading;
  }

  /** Releases what it has; headers that are still being read are not. */
  close(): void {
    this.#inflate.destroy();
  }

  async #read(compressed: Buffer): Promise<ReadonlyMap<string, string>> {
    [this.#block, this.#size] = [[], 0];
    if (this.#inflate.destroyed) throw this.#failed ?? new Error('the connection is closed');
    await new Promise<void>((resolve, reject) => {
      const closed = () => reject(this.#failed ?? new Error('the connection is closed'));
      this.#inflate.once('close', closed);
      this.#inflate.write(compressed, () => {
        this.#inflate.off('close', closed);
        if (this.#inflate.destroyed) closed();
        else resolve();
      });
    });
    return headersOf(Buffer.concat(this.#block));
  }
}

/** Reads a block of headers: their number, and each name and value behind its length. @throws Error */
function headersOf(block: Buffer): Map<string, string> {
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new Error('the headers of a stream are incomplete');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new Error('the headers of a stream are incomplete');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  const count = number();
  if (count > MAX_HEADERS) throw new Error('a stream has too many headers');
  const headers = new Map<string, string>();
  for (let index = 0; index < count; index++) headers.set(text().toLowerCase(), text());
  return headers;
}
