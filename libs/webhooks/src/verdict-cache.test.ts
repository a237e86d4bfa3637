import { beforeEach, describe, expect, it } from 'vitest';
import { type ExpiringValue, type SharedVerdicts, VerdictCache, type VerdictCacheSettings } from './verdict-cache.js';

let clock: number;
let found: number;
beforeEach(() => {
  [clock, found] = [0, 0];
});

const make = (settings: Partial<VerdictCacheSettings<string>> = {}) =>
  new VerdictCache<string>({ keptFor: () => 100, now: () => clock, ...settings });
const find = async () => `v${++found}`;

describe('verdicts', () => {
  it('are found once for all who ask meanwhile, and kept for their time', async () => {
    const cache = make();
    expect(await Promise.all([cache.of(['a'], find), cache.of(['a'], find)])).toEqual(['v1', 'v1']);
    clock = 99;
    expect(await cache.of(['a'], find)).toBe('v1');
    clock = 100;
    expect(await cache.of(['a'], find)).toBe('v2');
  });

  it('are of exactly what was asked about', async () => {
    const cache = make();
    const asked = [['a', 'b'], ['ab'], ['a', 'b', ''], ['', 'a', 'b'], ['a,b'], ['1:a1:b'], ['\ud800'], ['\ufffd']];
    expect(new Set(await Promise.all(asked.map((parts) => cache.of(parts, find)))).size).toBe(asked.length);
  });

  it('that fail, or are to be kept for no time, are not kept', async () => {
    const cache = make({ keptFor: () => 0 });
    await expect(cache.of(['a'], () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect([await cache.of(['a'], find), await cache.of(['a'], find)]).toEqual(['v1', 'v2']);
  });

  it('are no more than there is room for', async () => {
    const cache = make({ most: 2 });
    for (const part of ['a', 'b', 'c', 'a']) await cache.of([part], find);
    expect(found).toBe(4);
  });
});

describe('verdicts of other processes', () => {
  const shared = (kept: ExpiringValue<unknown> | undefined) => {
    const told: unknown[] = [];
    const verdicts: SharedVerdicts = {
      get: async () => kept,
      set: async (parts, value) => void told.push([parts, value]),
    };
    return { told, verdicts };
  };
  const read = (value: unknown) => (typeof value === 'string' ? value : undefined);

  it('are taken, for no longer than this process keeps its own', async () => {
    const { verdicts, told } = shared({ value: 'theirs', until: 5_000 });
    const cache = make({ shared: verdicts, read });
    expect(await cache.of(['a'], find)).toBe('theirs');
    expect([found, told]).toEqual([0, []]);
    const own = make({ shared: verdicts, read, keptFor: () => 0 });
    expect(await own.of(['a'], find)).toBe('v1');
  });

  it('are told of only as far as wanted', async () => {
    const { verdicts, told } = shared(undefined);
    const cache = make({ shared: verdicts, read, tells: (verdict) => verdict === 'v2' });
    for (const part of ['a', 'b', 'c']) await cache.of([part], find);
    expect(told).toEqual([[['b'], { value: 'v2', until: 100 }]]);
  });

  it.each([undefined, { value: 7, until: 50 }, { value: 'old', until: 0 }])(
    'are not taken when they are none: %j',
    async (kept) => {
      const { verdicts, told } = shared(kept);
      expect(await make({ shared: verdicts, read }).of(['a'], find)).toBe('v1');
      expect(told).toEqual([[['a'], { value: 'v1', until: 100 }]]);
    },
  );
});
