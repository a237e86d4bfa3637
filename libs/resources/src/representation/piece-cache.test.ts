import { describe, expect, it } from 'vitest';
import { PieceCache } from './piece-cache.js';

/** A cache, and pages of a hundred KiB that count how often they are encoded. */
function setup(maxBytes: number) {
  const cache = new PieceCache(maxBytes);
  const pages = Array.from({ length: 10 }, () => ({ encoded: 0 }));
  const piece = (number: number, key = 'k') => {
    const page = pages[number] ?? expect.unreachable();
    return cache.piece(page, key, 100 << 10, () => {
      page.encoded++;
      return Buffer.alloc(100 << 10, `page ${number}`);
    });
  };
  const encoded = () => pages.map((page) => page.encoded);
  return { cache, piece, encoded };
}

describe('PieceCache', () => {
  it('keeps a page from its second time on', () => {
    const { cache, piece, encoded } = setup(1 << 20);
    piece(0).bytes();
    expect(cache.stats().bytes).toBe(0);
    for (let time = 0; time < 5; time++) piece(0).bytes();
    expect(encoded()[0]).toBe(2);
    expect(cache.stats()).toMatchObject({ bytes: 100 << 10, hits: 4, misses: 2 });
  });

  it('holds apart what one page was made into', () => {
    const { piece, encoded } = setup(1 << 20);
    for (let time = 0; time < 5; time++) {
      piece(0, 'a').bytes();
      piece(0, 'b').bytes();
    }
    expect(encoded()[0]).toBe(4);
  });

  it('compresses once for all who ask at the same time', async () => {
    const { piece, encoded } = setup(1 << 20);
    piece(0);
    const all = await Promise.all(Array.from({ length: 50 }, () => piece(0).deflated()));
    expect(encoded()[0]).toBe(1);
    expect(new Set(all).size).toBe(1);
  });

  it('lets the least recently used go, and stays within its bytes', () => {
    const { cache, piece, encoded } = setup(300 << 10);
    for (let time = 0; time < 3; time++) for (const number of [0, 1, 2]) piece(number).bytes();
    expect(encoded().slice(0, 3)).toEqual([2, 2, 2]);
    piece(3);
    piece(3).bytes();
    expect(cache.stats().bytes).toBe(300 << 10);
    piece(1).bytes();
    piece(2).bytes();
    expect(encoded().slice(0, 4)).toEqual([2, 2, 2, 1]);
    piece(0).bytes();
    expect(encoded()[0]).toBe(3);
  });

  it('counts compressed bytes, also those that come after the page was let go', async () => {
    const { cache, piece } = setup(150 << 10);
    for (const number of [0, 1]) piece(number);
    const late = piece(0).deflated();
    piece(1).bytes();
    piece(1).bytes();
    await late;
    expect(cache.stats().bytes).toBeLessThanOrEqual(150 << 10);
    const { blocks } = await late;
    expect(blocks.length).toBeGreaterThan(0);
  });

  it('keeps nothing when told so', () => {
    const { cache, piece, encoded } = setup(0);
    for (let time = 0; time < 5; time++) piece(0).bytes();
    expect(encoded()[0]).toBe(5);
    expect(cache.stats().bytes).toBe(0);
  });
});
