import { describe, expect, it } from 'vitest';
import { CacheEntry, sizeOf } from '../state/cache-entry.js';
import { describeRow } from '../testing/fixtures.js';
import type { ChangeEvent } from './change-event.js';
import { EVENT_OVERHEAD, Ring } from './ring.js';

const entryAt = (version: number) => new CacheEntry('a', 'b', 'u', BigInt(version), Buffer.alloc(100), describeRow);

function event(version: number, at = 0): ChangeEvent {
  const [prior, entry] = [entryAt(version - 1), entryAt(version)];
  return { version: entry.version, op: 'update', entry, prior, at, frames: undefined };
}

describe('Ring', () => {
  it('holds what came after its floor, by cursor and by version', () => {
    const ring = new Ring(10n, 1000, 1 << 20);
    for (const version of [12, 15, 20]) ring.push(event(version));
    expect(ring.floor).toBe(10n);
    expect([10n, 11n, 12n, 14n, 15n, 20n, 99n].map((version) => ring.cursorAfter(version))).toEqual([
      0, 0, 1, 1, 2, 3, 3,
    ]);
    expect(ring.at(1)?.version).toBe(15n);
  });

  it('drops by time and by bytes, and cursors stay true', () => {
    const ring = new Ring(0n, 1000, 5 * (EVENT_OVERHEAD + sizeOf(entryAt(0))));
    for (let version = 1; version <= 5000; version++) ring.push(event(version, version));
    expect([ring.first, ring.next, ring.length, ring.floor]).toEqual([4995, 5000, 5, 4995n]);
    expect(ring.at(4996)?.version).toBe(4997n);
    expect(ring.at(10)).toBeUndefined();
    expect(ring.cursorAfter(4998n)).toBe(4998);
    ring.evict(5998.5);
    expect([ring.first, ring.floor]).toEqual([4998, 4998n]);
    ring.evict(99_999);
    expect([ring.first, ring.next, ring.bytes, ring.floor]).toEqual([5000, 5000, 0, 5000n]);
  });

  it('accounts for the states that it alone keeps', () => {
    const ring = new Ring(0n, 1000, 1 << 20);
    const state = sizeOf(entryAt(0));
    ring.push({ ...event(1), op: 'create', prior: undefined });
    expect(ring.bytes).toBe(EVENT_OVERHEAD);
    ring.push(event(2));
    expect(ring.bytes).toBe(2 * EVENT_OVERHEAD + state);
    ring.push({ ...event(3), op: 'delete' });
    expect(ring.bytes).toBe(3 * EVENT_OVERHEAD + 3 * state);
  });
});
