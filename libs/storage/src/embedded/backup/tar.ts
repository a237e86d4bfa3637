/** Header of an entry in a tar file. */
export interface TarHeader {
  /** Path with `/`, without one at its end. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly mode: number;
  /** Bytes of a file; 0 for a directory. */
  readonly size: number;
  /** Seconds since 1970. */
  readonly modified: number;
}

/** An entry of a tar file being read. */
export interface TarEntry extends TarHeader {
  /** The bytes of a file, to be read to their end before the next entry. */
  readonly content: AsyncIterable<Buffer>;
}

const BLOCK = 512;
/** Places of fields in a header (POSIX, "ustar Interchange Format"). */
const AT = {
  mode: 100,
  uid: 108,
  gid: 116,
  size: 124,
  modified: 136,
  sum: 148,
  kind: 156,
  magic: 257,
  prefix: 345,
} as const;
const LONGEST_NAME = 100;
const KINDS: Readonly<Record<string, TarHeader['kind']>> = { '0': 'file', '\0': 'file', '5': 'directory' };

/** Two blocks of zeros, behind the last entry. */
export const END_OF_TAR: Buffer = Buffer.alloc(2 * BLOCK);

/** Zeros behind the bytes of an entry, up to the next block. */
export const paddingOf = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** @throws RangeError for a name or a size that does not fit into a header */
export function tarHeader({ name, kind, mode, size, modified }: TarHeader): Buffer {
  const header = Buffer.alloc(BLOCK);
  const path = kind === 'directory' ? `${name}/` : name;
  if (Buffer.byteLength(path) > LONGEST_NAME || size >= 8 ** 11)
    throw new RangeError(`${name} does not fit into a tar file`);
  header.write(path);
  writeOctal(header, AT.mode, 8, mode);
  writeOctal(header, AT.uid, 8, 0);
  writeOctal(header, AT.gid, 8, 0);
  writeOctal(header, AT.size, 12, size);
  writeOctal(header, AT.modified, 12, modified);
  header.write(kind === 'directory' ? '5' : '0', AT.kind);
  header.write('ustar\x0000', AT.magic, 'latin1');
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, AT.sum, 'latin1');
  return header;
}

/**
 * Reads a tar file of files and directories, as PostgreSQL and {@link tarHeader} write it, up to the blocks of zeros at
 * its end; bytes behind them are not read.
 * @throws Error when it is truncated, or holds entries of another type
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void, undefined> {
  const blocks = new ByteReader(source);
  for (;;) {
    const block = await blocks.exactly(BLOCK);
    if (block.every((byte) => byte === 0)) return;
    const header = parse(block);
    yield { ...header, content: blocks.upTo(header.size) };
    await blocks.exactly(paddingOf(header.size).length);
  }
}

function parse(block: Buffer): TarHeader {
  const kind = KINDS[String.fromCharCode(block[AT.kind] ?? 0)];
  const isWhole = readOctal(block, AT.sum, 8) === sumOf(block);
  if (!isWhole || block[AT.prefix] !== 0) throw new Error('an entry of the tar file is invalid');
  const name = textAt(block, 0, LONGEST_NAME).replace(/\/$/, '');
  if (kind === undefined) throw new Error(`${name} is neither a file nor a directory`);
  const [mode, size, modified] = [
    readOctal(block, AT.mode, 8),
    readOctal(block, AT.size, 12),
    readOctal(block, AT.modified, 12),
  ];
  return { name, kind, mode, size: kind === 'file' ? size : 0, modified };
}

const textAt = (block: Buffer, at: number, length: number): string =>
  block.toString('utf8', at, at + length).replace(/\0.*$/s, '');

function readOctal(block: Buffer, at: number, length: number): number {
  const text = textAt(block, at, length).trim();
  if (!/^[0-7]+$/.test(text)) throw new Error('a number in the tar file is invalid');
  return Number.parseInt(text, 8);
}

const writeOctal = (header: Buffer, at: number, length: number, value: number): void =>
  void header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');

/** The sum of all bytes, with blanks in the checksum field itself. */
function sumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at++) if (at < AT.sum || at >= AT.sum + 8) sum += header[at] ?? 0;
  return sum;
}

/** Reads exact numbers of bytes from pieces of any size. */
class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  async exactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.upTo(length)) parts.push(part);
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  async *upTo(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let missing = length; missing > 0; ) {
      if (this.#rest.length === 0) this.#rest = await this.#next();
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  async #next(): Promise<Buffer> {
    const next = await this.#pieces.next();
    if (next.done) throw new Error('it is truncated');
    return next.value;
  }
}
