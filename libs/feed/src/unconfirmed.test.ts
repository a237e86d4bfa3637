import { describe, expect, it } from 'vitest';
import { UnconfirmedHeads } from './unconfirmed.js';

function read(...heads: readonly [head: bigint, asOf: number][]): UnconfirmedHeads {
  const unconfirmed = new UnconfirmedHeads();
  for (const [head, asOf] of heads) unconfirmed.add({ head, asOf });
  return unconfirmed;
}

describe('heads that are not reached', () => {
  it('are confirmed by the newest that was', () => {
    const unconfirmed = read([1n, 10], [2n, 20], [4n, 40]);
    expect(unconfirmed.reached(0n)).toBeUndefined();
    expect(unconfirmed.reached(3n)).toEqual({ head: 2n, asOf: 20 });
    expect(unconfirmed.reached(3n)).toBeUndefined();
    expect(unconfirmed.reached(9n)).toEqual({ head: 4n, asOf: 40 });
    expect(unconfirmed.size).toBe(0);
  });

  it('are remembered once for as often as one is read, as of the last time', () => {
    const unconfirmed = read([1n, 10], [1n, 20], [1n, 30]);
    expect(unconfirmed.size).toBe(1);
    expect(unconfirmed.reached(1n)).toEqual({ head: 1n, asOf: 30 });
  });

  it('are so many at most while they move on, the newest among them', () => {
    const unconfirmed = new UnconfirmedHeads();
    for (let at = 1; at <= 100_000; at++) unconfirmed.add({ head: BigInt(at), asOf: at });
    expect(unconfirmed.size).toBe(16);
    expect(unconfirmed.reached(15n)).toEqual({ head: 15n, asOf: 15 });
    expect(unconfirmed.reached(99_999n)).toBeUndefined();
    expect(unconfirmed.reached(100_000n)).toEqual({ head: 100_000n, asOf: 100_000 });
  });
});
