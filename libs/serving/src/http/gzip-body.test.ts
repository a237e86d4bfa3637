import { crc32, gunzipSync } from 'node:zlib';
import { type Piece, PieceCache } from '@orch/resources';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32Combine } from './crc32-combine.js';
import { gzipped } from './gzip-body.js';

const bytes = fc.uint8Array({ maxLength: 2000 }).map((array) => Buffer.from(array));

async function packed(pieces: readonly Piece[]): Promise<Buffer> {
  async function* each(): AsyncGenerator<Piece> {
    yield* pieces;
  }
  const parts: Buffer[] = [];
  for await (const part of gzipped(each())) parts.push(part);
  return Buffer.concat(parts);
}

describe('crc32Combine', () => {
  it('is the CRC of both texts together', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(crc32Combine(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
      }),
      { seed: 21, numRuns: 500 },
    );
  });

  it('takes lengths beyond 2 GiB', () => {
    const zeros = Buffer.alloc(1 << 20);
    let expected = crc32(zeros);
    for (let doubled = 0; doubled < 12; doubled++) {
      expected = crc32Combine(expected, expected, 2 ** (20 + doubled));
    }
    let whole = 0;
    for (let block = 0; block < 4096; block++) whole = crc32(zeros, whole);
    expect(expected).toBe(whole);
  });
});

describe('gzipped', () => {
  it('is one member that holds all pieces, whatever their sizes', async () => {
    const piece = fc.oneof(
      bytes,
      fc.nat(600_000).map((size) => Buffer.alloc(size, `size ${size} `)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const body = await packed(pieces);
        expect(gunzipSync(body).equals(Buffer.concat(pieces))).toBe(true);
        // The length in the trailer is that of the whole: there is no second member.
        expect(body.readUInt32LE(body.length - 4)).toBe(pieces.reduce((sum, { length }) => sum + length, 0));
      }),
      { seed: 22, numRuns: 40 },
    );
  });

  it('keeps the order of pieces though some take longer', async () => {
    const pieces = Array.from({ length: 40 }, (_, at) => Buffer.alloc(at % 2 === 0 ? 250_000 : 300, `piece ${at};`));
    expect(gunzipSync(await packed(pieces)).equals(Buffer.concat(pieces))).toBe(true);
  });

  it('takes shared pieces as they were compressed before', async () => {
    const cache = new PieceCache(1 << 20);
    const page = {};
    let encoded = 0;
    const shared = () =>
      cache.piece(page, 'k', 1000, () => {
        encoded++;
        return Buffer.alloc(1000, 'shared');
      });
    const answers: Buffer[] = [];
    for (let time = 0; time < 5; time++) answers.push(await packed([Buffer.from(`${time}`), shared()]));
    for (const [time, answer] of answers.entries()) {
      expect(gunzipSync(answer).toString()).toBe(`${time}${Buffer.alloc(1000, 'shared')}`);
    }
    expect(encoded).toBe(2);
  });

  it('fails when a piece does, at its place', async () => {
    const broken: Piece = {
      size: 10,
      bytes: () => Buffer.from(''),
      deflated: () => Promise.reject(new Error('broken')),
    };
    await expect(packed([Buffer.alloc(10), broken, Buffer.alloc(10)])).rejects.toThrow('broken');
  });
});
