import { ManualClock } from '@orch/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { LeaseLock, type LeaseObject } from './lease-lock.js';

const formatTime = (ms: number) => new Date(ms).toISOString();
let clock: ManualClock;
let lease: LeaseObject | undefined;
let version: number;

/** A candidate over one Lease that all of them share. */
function candidate(identity: string): LeaseLock {
  const write = (written: LeaseObject): boolean => {
    lease = { ...written, metadata: { ...written.metadata, resourceVersion: String(++version) } };
    return true;
  };
  const client = {
    get: async () => lease,
    create: async (created: LeaseObject) => lease === undefined && write(created),
    update: async (updated: LeaseObject) =>
      updated.metadata?.resourceVersion === lease?.metadata?.resourceVersion && write(updated),
  };
  const settings = { name: 'l', namespace: 'n', durationMs: 15_000, formatTime, clock };
  return new LeaseLock(client, { ...settings, identity });
}

beforeEach(() => {
  [clock, lease, version] = [new ManualClock(), undefined, 0];
});

describe('a lock by a Lease', () => {
  it('is taken by one candidate, and kept while that renews it', async () => {
    const [a, b] = [candidate('a'), candidate('b')];
    expect(await a.take()).toBe(true);
    expect(lease?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    const acquired = lease?.spec?.acquireTime;
    for (let round = 0; round < 5; round++) {
      expect(await b.take()).toBe(false);
      await clock.advance(10_000);
      expect(await a.take()).toBe(true);
    }
    expect(lease?.spec?.acquireTime).toBe(acquired);
    expect(lease?.spec?.renewTime).not.toBe(acquired);
    expect(b.holder).toBe('a');
  });

  it('passes to another candidate a duration after the last change that was seen, and not by clocks of others', async () => {
    const [a, b] = [candidate('a'), candidate('b')];
    await a.take();
    await clock.advance(60_000);
    expect(await b.take()).toBe(false);
    await clock.advance(14_999);
    expect(await b.take()).toBe(false);
    await clock.advance(1);
    expect(await b.take()).toBe(true);
    expect(lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    expect(await a.take()).toBe(false);
  });

  it('is free at once when its holder gives it back, which nobody else can', async () => {
    const [a, b] = [candidate('a'), candidate('b')];
    await a.take();
    await b.giveBack();
    expect(lease?.spec?.holderIdentity).toBe('a');
    await a.giveBack();
    expect(lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(await b.take()).toBe(true);
    expect(lease?.spec?.leaseTransitions).toBe(1);
  });

  it('is not taken by a candidate that another overtakes', async () => {
    const a = candidate('a');
    await a.take();
    const stolen = { ...lease, metadata: { ...lease?.metadata, resourceVersion: 'x' } };
    const client = { get: async () => stolen, create: async () => false, update: async () => false };
    const late = new LeaseLock(client, { name: 'l', namespace: 'n', identity: 'a', durationMs: 1, formatTime, clock });
    expect(await late.take()).toBe(false);
  });
});
