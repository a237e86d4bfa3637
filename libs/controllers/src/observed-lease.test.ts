import { ManualClock, ManualInformer } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import { type LeaseRecord, ObservedLease } from './observed-lease.js';

const KEY = 'kube-system/kube-controller-manager';

/** A lease of fifteen seconds, and what is told of it. */
function observed(records: Iterable<readonly [string, LeaseRecord]> = []) {
  const clock = new ManualClock();
  const informer = new ManualInformer<LeaseRecord>(records);
  const lease = new ObservedLease(informer, KEY, clock);
  const told: boolean[] = [];
  lease.onChange(() => told.push(lease.isHeld));
  let renewals = 0;
  const renew = (more: LeaseRecord = {}) =>
    informer.put(KEY, { holderIdentity: 'm', leaseDurationSeconds: 15, renewTime: `${renewals++}`, ...more });
  return { clock, informer, lease, told, renew };
}

describe('a lease', () => {
  it('is free where there is none, also beside others', () => {
    const { lease, told, informer } = observed();
    expect(lease.isHeld).toBe(false);
    informer.put('kube-system/kube-scheduler', { holderIdentity: 's', renewTime: '1' });
    expect([lease.isHeld, told]).toEqual([false, []]);
  });

  it('is held until the objects are known', () => {
    const listeners = new Set<(changed: ReadonlySet<string>) => void>();
    const informer = {
      hasSynced: false,
      get: () => undefined,
      onChange: (listener: (changed: ReadonlySet<string>) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const lease = new ObservedLease(informer, KEY, new ManualClock());
    const told: boolean[] = [];
    lease.onChange(() => told.push(lease.isHeld));
    expect(lease.isHeld).toBe(true);
    for (const listener of listeners) listener(new Set());
    expect([lease.isHeld, told]).toEqual([false, [false]]);
    lease.stop();
    expect(listeners.size).toBe(0);
  });

  it('is held for its duration after each renewal', async () => {
    const { clock, lease, told, renew } = observed();
    for (let renewal = 0; renewal < 5; renewal++) {
      renew();
      await clock.advance(14_999);
    }
    expect([lease.isHeld, lease.holder, told]).toEqual([true, 'm', [true]]);
    await clock.advance(1);
    expect([lease.isHeld, told]).toEqual([false, [true, false]]);
    renew();
    expect([lease.isHeld, told]).toEqual([true, [true, false, true]]);
  });

  it('is not renewed by a write that leaves the record as it is', async () => {
    const { clock, lease, renew } = observed();
    renew({ renewTime: 'same' });
    await clock.advance(10_000);
    renew({ renewTime: 'same' });
    await clock.advance(5_000);
    expect(lease.isHeld).toBe(false);
  });

  it('that is found is held at first, however old it is', async () => {
    const record = { holderIdentity: 'm', leaseDurationSeconds: 15, renewTime: '2001-01-01T00:00:00.000000Z' };
    const { clock, lease } = observed([[KEY, record]]);
    expect(lease.isHeld).toBe(true);
    await clock.advance(15_000);
    expect(lease.isHeld).toBe(false);
  });

  it('is free at once when it is given back or deleted', () => {
    const { lease, told, renew, informer } = observed();
    renew();
    renew({ holderIdentity: '' });
    expect(lease.isHeld).toBe(false);
    renew();
    informer.remove(KEY);
    expect([lease.isHeld, told]).toEqual([false, [true, false, true, false]]);
  });

  it('is held by another holder too', async () => {
    const { clock, lease, told, renew } = observed();
    renew();
    await clock.advance(10_000);
    renew({ holderIdentity: 'n' });
    await clock.advance(10_000);
    expect([lease.isHeld, lease.holder, told]).toEqual([true, 'n', [true]]);
  });

  it('of any duration ends within an hour, and of none in fifteen seconds', async () => {
    const { clock, lease, renew } = observed();
    renew({ leaseDurationSeconds: 2 ** 31 - 1 });
    await clock.advance(3_599_999);
    expect(lease.isHeld).toBe(true);
    await clock.advance(1);
    expect(lease.isHeld).toBe(false);
    const { leaseDurationSeconds: _, ...record } = { holderIdentity: 'm', renewTime: 'x', leaseDurationSeconds: 1 };
    const other = observed([[KEY, record]]);
    await other.clock.advance(14_999);
    expect(other.lease.isHeld).toBe(true);
    await other.clock.advance(1);
    expect(other.lease.isHeld).toBe(false);
  });

  it('is told to nobody who has left, and not after the end', async () => {
    const { clock, lease, told, renew } = observed();
    const others: string[] = [];
    const leave = lease.onChange(() => others.push('told'));
    leave();
    renew();
    expect([told, others]).toEqual([[true], []]);
    lease.stop();
    await clock.advance(20_000);
    renew();
    expect(told).toEqual([true]);
  });
});
