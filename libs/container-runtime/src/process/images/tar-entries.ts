import { Header, Pax } from 'tar';

const BLOCK = 512;
/** Bytes of a header of extensions: long names, attributes. */
const LONGEST_EXTENSION = 1 << 20;

/** An entry of an archive. */
export interface ArchiveEntry {
  /** Path as in the archive. */
  readonly path: string;
  /** Kind, as `File`, `Directory`, `SymbolicLink`, `Link`. */
  readonly type: Header['type'];
  /** Target of a link. */
  readonly linkpath?: string | undefined;
  /** Permissions. */
  readonly mode?: number | undefined;
  /** Owner. */
  readonly uid?: number | undefined;
  /** Group of the owner. */
  readonly gid?: number | undefined;
  /** Time of the last change. */
  readonly mtime?: Date | undefined;
  /** Bytes of the content. */
  readonly size: number;
  /** Content of a file. */
  readonly content: AsyncIterable<Buffer>;
}

/**
 * Reads a tar archive and handles its entries one after another, as their bytes arrive. Content that is not read is
 * skipped.
 *
 * @throws Error of the handler, and for an archive that is damaged
 */
export async function readTar(
  bytes: AsyncIterable<Uint8Array>,
  handle: (entry: ArchiveEntry) => Promise<void>,
): Promise<void> {
  const reader = new BlockReader(bytes);
  try {
    await readEntries(reader, handle);
    // Whoever computes a digest of the archive needs all of it.
    await reader.drain();
  } finally {
    await reader.close();
  }
}

async function readEntries(reader: BlockReader, handle: (entry: ArchiveEntry) => Promise<void>): Promise<void> {
  let attributes: Pax | undefined;
  let names: { path?: string; linkpath?: string } = {};
  for (;;) {
    const block = await reader.block();
    if (block === undefined) throw new Error('the archive is cut off');
    if (block.every((byte) => byte === 0)) return;
    const header = new Header(block, 0, attributes);
    if (!header.cksumValid) throw new Error('the archive is damaged: a checksum does not match');
    const { type } = header;
    const size = header.size ?? 0;
    if (!Number.isSafeInteger(size) || size < 0) throw new Error(`the archive has an entry with the size ${size}`);
    if (type === 'ExtendedHeader') attributes = Pax.parse(await reader.text(size), attributes);
    else if (type === 'NextFileHasLongPath') names = { ...names, path: cString(await reader.text(size)) };
    else if (type === 'NextFileHasLongLinkpath') names = { ...names, linkpath: cString(await reader.text(size)) };
    else if (type === 'GlobalExtendedHeader') await reader.text(size);
    else {
      await handleEntry(reader, { ...entryOf(header), ...names, size }, handle);
      attributes = undefined;
      names = {};
    }
  }
}

const cString = (text: string): string => text.replace(/\0.*$/s, '');

const entryOf = ({ path = '', type, linkpath, mode, uid, gid, mtime }: Header) => ({
  ...{ path, type, linkpath, mode, uid, gid, mtime },
});

async function handleEntry(
  reader: BlockReader,
  entry: Omit<ArchiveEntry, 'content'>,
  handle: (entry: ArchiveEntry) => Promise<void>,
): Promise<void> {
  const content = reader.content(entry.size);
  await handle({ ...entry, content });
  for await (const _ of content);
}

/** Reads a stream by blocks. */
class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /** Returns the next block; undefined at the end. */
  async block(): Promise<Buffer | undefined> {
    while (this.#rest.length < BLOCK) {
      const piece = await this.#next();
      if (!piece) return undefined;
      this.#rest = Buffer.concat([this.#rest, piece]);
    }
    const block = this.#rest.subarray(0, BLOCK);
    this.#rest = this.#rest.subarray(BLOCK);
    return block;
  }

  /** Returns a text and skips the rest of its last block. */
  async text(size: number): Promise<string> {
    if (size > LONGEST_EXTENSION) throw new Error(`the archive has an extension of ${size} bytes`);
    const pieces: Buffer[] = [];
    for await (const piece of this.content(size)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  /** Yields a content and skips the rest of its last block; a second reader goes on where the first has ended. */
  content(size: number): AsyncIterable<Buffer> {
    let left = size;
    let padding = (BLOCK - (size % BLOCK)) % BLOCK;
    const next = async (): Promise<Buffer | undefined> => {
      const wanted = left + padding;
      if (wanted === 0) return undefined;
      const piece = this.#rest.length > 0 ? this.#rest : await this.#next();
      if (!piece) throw new Error('the archive is cut off');
      this.#rest = piece.subarray(wanted);
      const text = piece.subarray(0, Math.min(left, piece.length));
      padding -= Math.min(padding, Math.max(0, piece.length - left));
      left -= text.length;
      return text;
    };
    return contentOf(next);
  }

  /** Reads to the end. */
  async drain(): Promise<void> {
    while (await this.#next());
  }

  /** Ends the stream. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#source.next();
    return done ? undefined : Buffer.from(value);
  }
}

function contentOf(next: () => Promise<Buffer | undefined>): AsyncIterable<Buffer> {
  return {
    async *[Symbol.asyncIterator]() {
      for (let piece = await next(); piece; piece = await next()) yield piece;
    },
  };
}
