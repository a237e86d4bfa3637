import { describe, expect, it } from 'vitest';
import { MemoryClaims } from '../testing/memory-claims.js';
import { type AllocationOwner, type Hold, makeAddressAllocators, makeAllocator } from './allocator.js';
import { portRange, serviceNetworks } from './ranges.js';

const owner = (uid: string): AllocationOwner => ({ namespace: 'default', name: uid, uid });
const NONE: ReadonlySet<string> = new Set();

/** Claims of which others take some values between the look whether they are free and the claim. */
class RacedClaims extends MemoryClaims {
  constructor(readonly lost: Set<string>) {
    super();
  }
  override claim(value: string, by: AllocationOwner): Promise<Hold | undefined> {
    if (this.lost.delete(value)) this.taken.set(value, 'another');
    return super.claim(value, by);
  }
}

/** Takes all values of a range but some. */
function takeBut(claims: MemoryClaims, values: readonly string[], free: readonly string[]): void {
  for (const value of values) if (!free.includes(value)) claims.taken.set(value, 'another');
}

describe('an allocator that loses a value to another server after it was seen free', () => {
  const ports = Array.from({ length: 300 }, (_, index) => String(30_000 + index));

  // Neighbours, so that both are looked at together wherever the first candidate lies.
  it.each([0, 50, 127, 200, 298])('gives the other that is free, of two at %i', async (at) => {
    const free = ports.slice(at, at + 2);
    for (const lost of free) {
      const claims = new RacedClaims(new Set([lost]));
      takeBut(claims, ports, free);
      const given = await makeAllocator(portRange(30_000, 30_299), claims).allocate(owner('u1'), [undefined], NONE);
      expect(given.map(({ value }) => value)).toEqual(free.filter((value) => value !== lost));
    }
  });

  it('gives all that are needed together', async () => {
    const free = ports.slice(100, 110);
    const claims = new RacedClaims(new Set(free.slice(0, 6)));
    takeBut(claims, ports, free);
    const wanted = [undefined, undefined, undefined, undefined];
    const given = await makeAllocator(portRange(30_000, 30_299), claims).allocate(owner('u1'), wanted, NONE);
    expect(given.map(({ value }) => value).sort()).toEqual(free.slice(6));
  });

  it('holds nothing of what it had when there is too little', async () => {
    const free = ports.slice(100, 104);
    const claims = new RacedClaims(new Set(free.slice(0, 2)));
    takeBut(claims, ports, free);
    const wanted = [undefined, undefined, undefined];
    await expect(
      makeAllocator(portRange(30_000, 30_299), claims).allocate(owner('u1'), wanted, NONE),
    ).rejects.toMatchObject({ kind: 'full', message: 'range is full' });
    expect([...claims.taken.values()]).not.toContain('u1');
  });

  it('does so in each of two networks', async () => {
    const networks = serviceNetworks('10.96.0.0/24,fd00::/120');
    for (const network of networks) {
      const values = Array.from({ length: network.size }, (_, index) => network.valueAt(index));
      const free = values.slice(120, 122);
      const claims = new RacedClaims(new Set(free.slice(0, 1)));
      takeBut(claims, values, free);
      const allocator = makeAddressAllocators(networks, claims).of(network.family);
      const given = await allocator?.allocate(owner('u1'), [undefined], NONE);
      expect(given?.map(({ value }) => value)).toEqual(free.slice(1));
    }
  });
});
