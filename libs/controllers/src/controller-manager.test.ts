import { Metrics } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { LEADERSHIP_MS, Leadership, RENEWAL_MS } from '@orch/runtime/work';
import { describe, expect, it } from 'vitest';
import { type Controller, type ReconcileRun, RequeueError } from './controller.js';
import { ControllerManager, type Yielding } from './controller-manager.js';
import { informerSource } from './informer-source.js';
import { workQueueMetrics } from './work-queue-metrics.js';

/** A controller of named objects, and a lease that the test gives and takes. */
function managerOf(
  reconcile: Controller['reconcile'] = async () => undefined,
  others: readonly Controller[] = [],
  yielding?: Yielding,
) {
  const clock = new ManualClock();
  const objects = new Map<string, string>([
    ['a', '1'],
    ['b', '1'],
  ]);
  const listeners = new Set<(changed: ReadonlySet<string>) => void>();
  const lease = { isFree: true, given: 0, takes: 0, hang: undefined as Promise<void> | undefined };
  const reconciled: string[] = [];
  const errors: unknown[][] = [];
  let confirm = async (): Promise<void> => undefined;
  const metrics = new Metrics();
  const source = informerSource({
    keys: () => objects.keys(),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    confirm: () => confirm(),
  });
  const leadership = new Leadership(
    {
      take: async () => {
        lease.takes++;
        await lease.hang;
        return lease.isFree;
      },
      giveBack: async () => void lease.given++,
    },
    clock,
  );
  const controller: Controller = {
    name: 'things',
    sources: [source],
    reconcile: (key, run) => {
      reconciled.push(key);
      return reconcile(key, run);
    },
  };
  const onError = (...told: unknown[]) => void errors.push(told);
  const manager = new ControllerManager([controller, ...others], {
    ...{ leadership, metrics: workQueueMetrics(metrics), onError, clock, ...(yielding && { yielding }) },
  });
  return {
    ...{ clock, objects, lease, reconciled, errors, metrics, manager, listeners },
    change: (name: string) => {
      for (const listener of listeners) listener(new Set([name]));
    },
    onConfirm: (then: () => Promise<void>) => {
      confirm = then;
    },
  };
}

describe('a controller of a manager', () => {
  it('reconciles every object when its process comes to lead, then those that change', async () => {
    const { clock, manager, reconciled, change } = managerOf();
    manager.start();
    await clock.settle();
    expect(reconciled).toEqual(['a', 'b']);
    change('b');
    await clock.settle();
    expect(reconciled).toEqual(['a', 'b', 'b']);
    await clock.advance(60_000);
    expect(reconciled).toHaveLength(3);
    await manager.stop();
  });

  it('begins only with what the leader before has written', async () => {
    const { clock, manager, reconciled, objects, onConfirm } = managerOf();
    let known = (): void => undefined;
    onConfirm(() => new Promise((resolve) => (known = resolve)));
    manager.start();
    await clock.settle();
    expect(reconciled).toEqual([]);
    objects.set('c', '1');
    known();
    await clock.settle();
    expect(reconciled).toEqual(['a', 'b', 'c']);
    await manager.stop();
  });

  it('begins after a failure to learn what was written', async () => {
    const { clock, manager, reconciled, errors, onConfirm } = managerOf();
    const failure = new Error('no database');
    onConfirm(() => Promise.reject(failure));
    manager.start();
    await clock.settle();
    expect([reconciled, errors]).toEqual([[], [[failure, 'things']]]);
    onConfirm(async () => undefined);
    await clock.advance(1_000);
    expect(reconciled).toEqual(['a', 'b']);
    await manager.stop();
  });

  it('does not wait for the sources of another, nor does the lease, nor the end', async () => {
    const stuck: Controller = {
      name: 'stuck',
      sources: [{ subscribe: () => () => undefined, keys: () => ['x'], confirm: () => new Promise(() => undefined) }],
      reconcile: () => Promise.reject(new Error('begun')),
    };
    const { clock, manager, reconciled, lease, errors } = managerOf(undefined, [stuck]);
    manager.start();
    await clock.settle();
    expect(reconciled).toEqual(['a', 'b']);
    await clock.advance(2 * LEADERSHIP_MS);
    expect(lease.takes).toBeGreaterThan(4);
    expect([reconciled, errors]).toEqual([['a', 'b'], []]);
    await manager.stop();
    expect(lease.given).toBe(1);
  });

  it('does not keep the process from ending in time', async () => {
    const { clock, manager, lease } = managerOf(() => new Promise(() => undefined));
    manager.start();
    await clock.settle();
    const deadline = new AbortController();
    const stopped = manager.stop(deadline.signal);
    await clock.settle();
    expect(lease.given).toBe(0);
    deadline.abort();
    await stopped;
    expect(lease.given).toBe(1);
  });

  it('does nothing while another process leads, and everything once that is over', async () => {
    const { clock, manager, reconciled, lease, change } = managerOf();
    lease.isFree = false;
    manager.start();
    await clock.advance(LEADERSHIP_MS);
    change('a');
    await clock.settle();
    expect(reconciled).toEqual([]);
    lease.isFree = true;
    await clock.advance(RENEWAL_MS);
    expect(reconciled).toEqual(['a', 'b']);
    await manager.stop();
    expect(lease.given).toBe(1);
  });

  it('lets nothing go on that was begun before the lease was lost', async () => {
    const runs: ReconcileRun[] = [];
    let end = (): void => undefined;
    const { clock, manager, reconciled, lease } = managerOf(async (_key, run) => {
      runs.push(run);
      await new Promise<void>((resolve) => (end = resolve));
      return 1_000;
    });
    manager.start();
    await clock.settle();
    expect(runs[0]?.goesOn).toBe(true);
    lease.isFree = false;
    await clock.advance(LEADERSHIP_MS);
    expect(runs[0]?.goesOn).toBe(false);
    end();
    await clock.advance(60_000);
    expect(reconciled).toEqual(['a']);
    // The next term does not bring back what the first one has begun.
    lease.isFree = true;
    await clock.advance(2 * RENEWAL_MS);
    expect([runs[0]?.goesOn, runs[1]?.goesOn]).toEqual([false, true]);
    end();
    await clock.settle();
    end();
    await manager.stop();
  });

  it('reports no failure of what was begun before the lease was lost, nor tries it again', async () => {
    let fail = (_error: Error): void => undefined;
    const { clock, manager, reconciled, errors, lease } = managerOf(
      () => new Promise((_resolve, reject) => (fail = reject)),
    );
    manager.start();
    await clock.settle();
    lease.isFree = false;
    await clock.advance(LEADERSHIP_MS);
    fail(new Error('another process leads'));
    await clock.advance(60_000);
    expect([reconciled, errors]).toEqual([['a'], []]);
    await manager.stop();
  });

  it('reconciles everything again where the lease has lapsed and come back', async () => {
    const { clock, manager, reconciled, lease, change } = managerOf();
    manager.start();
    await clock.settle();
    let answer = (): void => undefined;
    lease.hang = new Promise((resolve) => (answer = resolve));
    await clock.advance(2 * LEADERSHIP_MS);
    change('a');
    await clock.settle();
    expect(reconciled).toEqual(['a', 'b']);
    lease.hang = undefined;
    answer();
    await clock.advance(RENEWAL_MS);
    expect(reconciled).toEqual(['a', 'b', 'a', 'b']);
    await manager.stop();
  });

  it('looks again when a reconciliation says so, and tries a failed one again', async () => {
    let failure: Error | undefined = new Error('conflict');
    const { clock, manager, reconciled, errors } = managerOf(async (key) => {
      if (key === 'a') return 5_000;
      if (failure) throw failure;
      return undefined;
    });
    manager.start();
    await clock.settle();
    expect(errors).toEqual([[failure, 'things', 'b']]);
    failure = undefined;
    await clock.advance(5);
    expect(reconciled).toEqual(['a', 'b', 'b']);
    await clock.advance(4_999);
    expect(reconciled).toEqual(['a', 'b', 'b', 'a']);
    await manager.stop();
  });

  it('says nothing of a reconciliation that only asks to be tried again', async () => {
    let tries = 0;
    const { clock, manager, errors } = managerOf(async (key) => {
      if (key === 'b' && ++tries < 3) throw new RequeueError('not yet');
      return undefined;
    });
    manager.start();
    await clock.advance(1_000);
    expect([tries, errors]).toEqual([3, []]);
    await manager.stop();
  });

  it('listens to nobody and writes nothing once it is stopped', async () => {
    let end = (): void => undefined;
    const runs: ReconcileRun[] = [];
    const { clock, manager, reconciled, listeners, lease } = managerOf(async (_key, run) => {
      runs.push(run);
      await new Promise<void>((resolve) => (end = resolve));
      return undefined;
    });
    manager.start();
    await clock.settle();
    let isOver = false;
    const stopped = manager.stop().then(() => (isOver = true));
    await clock.settle();
    expect([isOver, listeners.size, runs[0]?.goesOn, lease.given]).toEqual([false, 0, false, 0]);
    end();
    await stopped;
    expect([reconciled, lease.given]).toEqual([['a'], 1]);
  });

  it('counts under the names of client-go', async () => {
    const { clock, manager, metrics, change } = managerOf(async (key) => {
      if (key === 'b') throw new Error('refused');
      return undefined;
    });
    manager.start();
    await clock.settle();
    change('a');
    await clock.settle();
    const { body: text } = await metrics.text();
    expect(text).toContain('workqueue_adds_total{name="things"} 3');
    expect(text).toContain('workqueue_retries_total{name="things"} 1');
    expect(text).toContain('workqueue_work_duration_seconds_count{name="things"} 3');
    expect(text).toContain('workqueue_depth{name="things"} 0');
    expect(text).toContain('workqueue_longest_running_processor_seconds{name="things"} 0');
    await manager.stop();
  });
});

describe('a controller that yields', () => {
  function yielding(reconcile?: Controller['reconcile'], isHeld = false) {
    const listeners = new Set<() => void>();
    const lease = {
      isHeld,
      onChange(listener: () => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const others: string[] = [];
    const other: Controller = {
      name: 'others',
      sources: [{ subscribe: () => () => undefined, keys: () => ['x'] }],
      async reconcile(key) {
        others.push(key);
        return 60_000;
      },
    };
    const stage = managerOf(reconcile, [other], { lease, includes: (name) => name === 'things' });
    const hold = (held: boolean) => {
      lease.isHeld = held;
      for (const listener of listeners) listener();
    };
    return { ...stage, hold, others, watching: listeners };
  }

  it('rests while another program holds the lease, and reconciles everything once it is free', async () => {
    const { clock, manager, reconciled, others, hold, change, watching } = yielding(undefined, true);
    manager.start();
    await clock.settle();
    change('a');
    await clock.advance(2 * LEADERSHIP_MS);
    expect([reconciled, others]).toEqual([[], ['x']]);
    hold(false);
    await clock.settle();
    expect(reconciled).toEqual(['a', 'b']);
    hold(true);
    change('a');
    await clock.advance(2 * LEADERSHIP_MS);
    expect(reconciled).toEqual(['a', 'b']);
    hold(false);
    change('b');
    await clock.settle();
    expect(reconciled).toEqual(['a', 'b', 'a', 'b']);
    expect(others).toEqual(['x']);
    await manager.stop();
    expect(watching.size).toBe(0);
  });

  it('writes nothing more of what it has begun', async () => {
    const runs: ReconcileRun[] = [];
    let end = (): void => undefined;
    const { clock, manager, reconciled, hold } = yielding(async (_key, run) => {
      runs.push(run);
      await new Promise<void>((resolve) => (end = resolve));
      return 1_000;
    });
    manager.start();
    await clock.settle();
    hold(true);
    expect(runs[0]?.goesOn).toBe(false);
    end();
    await clock.advance(60_000);
    expect(reconciled).toEqual(['a']);
    await manager.stop();
  });

  it('begins with what the other program has written, also where the lease changes hands meanwhile', async () => {
    const { clock, manager, reconciled, objects, hold, onConfirm } = yielding(undefined, true);
    const known: (() => void)[] = [];
    onConfirm(() => new Promise((resolve) => known.push(resolve)));
    manager.start();
    await clock.settle();
    hold(false);
    hold(true);
    hold(false);
    known[0]?.();
    await clock.settle();
    expect(reconciled).toEqual([]);
    objects.set('c', '1');
    known[1]?.();
    await clock.settle();
    expect(reconciled).toEqual(['a', 'b', 'c']);
    await manager.stop();
  });

  it('does not begin where another process leads', async () => {
    const { clock, manager, reconciled, others, lease, hold } = yielding(undefined, true);
    lease.isFree = false;
    manager.start();
    await clock.settle();
    hold(false);
    await clock.settle();
    expect([reconciled, others]).toEqual([[], []]);
    await manager.stop();
  });
});
