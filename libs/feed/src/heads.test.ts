import { ManualClock } from '@orch/runtime/testing';
import { type Head, StoreUnavailableError, type TypeId } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import { Heads } from './heads.js';
import { MemorySource } from './testing/index.js';

const HEAD: Head = { head: 7n, floor: 1n };
const down = () => Promise.reject(new StoreUnavailableError('down', false));

/** Odd types lie in a second database, which answers as a test says. */
function headsOver(second: () => Promise<Head>) {
  const source = new MemorySource();
  const queries: (readonly TypeId[])[] = [];
  source.database = (type?: TypeId) => (type ?? 0) % 2;
  source.heads = async (types) => {
    queries.push(types);
    const found = types.map(async (type) => [type, type % 2 === 0 ? HEAD : await second()] as const);
    return new Map(await Promise.all(found));
  };
  return { heads: new Heads(source, new ManualClock(), {}), queries };
}

describe('heads of the types of one database', () => {
  it('are read by one query at a time, which whoever comes meanwhile shares the next of', async () => {
    const source = new MemorySource();
    const asked: { types: readonly TypeId[]; answer: (head: bigint) => void }[] = [];
    source.heads = (types) =>
      new Promise((resolve) => {
        const answer = (head: bigint) => resolve(new Map(types.map((type) => [type, { head, floor: 0n }])));
        asked.push({ types, answer });
      });
    const clock = new ManualClock();
    const heads = new Heads(source, clock, {});
    const first = heads.read(1);
    await clock.settle();
    const others = [heads.read(1), heads.read(2), heads.read(1)];
    await clock.settle();
    expect(asked.map(({ types }) => types)).toEqual([[1]]);
    asked[0]?.answer(5n);
    await clock.settle();
    expect(asked.map(({ types }) => types)).toEqual([[1], [1, 2]]);
    const late = heads.read(2);
    asked[1]?.answer(6n);
    await clock.settle();
    asked[2]?.answer(7n);
    const read = await Promise.all([first, ...others, late]);
    expect(read.map(({ head }) => head)).toEqual([5n, 6n, 6n, 6n, 7n]);
    expect(asked).toHaveLength(3);
  });
});

describe('heads of types in several databases', () => {
  it('of one that fails are unavailable, of the others as ever', async () => {
    const { heads } = headsOver(down);
    const [two, three, four] = await Promise.allSettled([heads.read(2), heads.read(3), heads.read(4)]);
    expect([two, four]).toMatchObject([{ value: HEAD }, { value: HEAD }]);
    expect(three).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) });
  });

  it('of one that hangs keep nobody else waiting, now or later', async () => {
    let answer: (head: Head) => void = () => undefined;
    const { heads, queries } = headsOver(() => new Promise((resolve) => (answer = resolve)));
    const hanging = heads.read(3);
    expect(await heads.read(2)).toMatchObject(HEAD);
    expect(await heads.read(4)).toMatchObject(HEAD);
    answer(HEAD);
    expect(await hanging).toMatchObject(HEAD);
    expect(queries).toEqual([[3], [2], [4]]);
  });
});
