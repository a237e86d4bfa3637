import { ManualClock } from '@orch/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Arrival, FairQueues, QueuedRequest, type RejectReason } from './fair-queues.js';
import { AT_ONCE, LoopPace, type StartLimiter } from './pace.js';
import { ONE_SEAT } from './work-estimate.js';

const QUEUING = { queues: 8, handSize: 2, queueLengthLimit: 5 };

/** @param queuing null for nobody who waits */
function level(limit: number, queuing: typeof QUEUING | null = QUEUING, pace: StartLimiter = AT_ONCE) {
  const clock = new ManualClock();
  const seen = { waiting: 0, executing: 0, seats: 0 };
  const count = (of: 'waiting' | 'executing' | 'seats') => (_: string, by: number) => {
    seen[of] += by;
  };
  const observer = {
    ...{ waits: count('waiting'), executes: count('executing'), seats: count('seats') },
    queueLength: () => undefined,
    noRoom: () => undefined,
  };
  const queues = new FairQueues({ clock, maxWaitMs: 1_000, observer, pace });
  queues.configure(limit, queuing ?? undefined);
  const enter = (flow: string, more: Partial<Arrival> = {}) =>
    queues.enter({ schema: 's', flow, estimate: ONE_SEAT, ...more });
  return { clock, seen, queues, enter };
}

/** A process that has time for three requests in a round, of which none ends. */
const roundOfThree = () =>
  new LoopPace(
    0.3,
    () => undefined,
    () => 0,
  );

const entered = (entry: QueuedRequest | RejectReason): QueuedRequest => {
  if (!(entry instanceof QueuedRequest)) throw new Error(`refused: ${entry}`);
  return entry;
};

describe('seats of a level', () => {
  it('are given at once while there are any, and to the next who waits when one leaves', async () => {
    const { enter, seen } = level(2);
    const [a, b, c] = ['x', 'x', 'x'].map((flow) => entered(enter(flow))) as [
      QueuedRequest,
      QueuedRequest,
      QueuedRequest,
    ];
    expect([a.seated(), b.seated()]).toEqual([true, true]);
    const coming = c.seated();
    expect(coming).toBeInstanceOf(Promise);
    expect(seen).toMatchObject({ waiting: 1, executing: 2, seats: 2 });
    a.leave();
    await expect(coming).resolves.toBe(true);
    for (const entry of [a, b, c, c]) entry.leave();
    expect(seen).toMatchObject({ waiting: 0, executing: 0, seats: 0 });
  });

  it('are refused where nobody may wait', () => {
    const { enter, queues } = level(1, null);
    const first = entered(enter('x'));
    expect(enter('y')).toBe('concurrency-limit');
    first.leave();
    entered(enter('y')).leave();
    expect(queues.counts).toMatchObject({ dispatched: 2, rejected: 1 });
    expect(queues.isIdle).toBe(true);
  });

  it('that are given where nobody may wait take time from those who wait elsewhere; those that are refused do not', () => {
    const time = roundOfThree();
    const { enter } = level(2, null, time);
    for (const flow of ['x', 'y']) entered(enter(flow));
    expect(enter('z')).toBe('concurrency-limit');
    expect([time.mayBegin(), time.mayBegin()]).toEqual([true, false]);
  });

  it('are waited for in queues of bounded length, and for a bounded time', async () => {
    const { clock, enter, queues, seen } = level(1);
    entered(enter('x'));
    const results = Array.from({ length: 20 }, () => enter('x'));
    // A flow has two queues to choose from.
    expect(results.filter((result) => result === 'queue-full')).toHaveLength(10);
    const coming = results.flatMap((result) => (result instanceof QueuedRequest ? [result.seated()] : []));
    await clock.advance(1_000);
    expect(await Promise.all(coming)).toEqual(Array.from({ length: 10 }, () => false));
    expect(queues.counts).toMatchObject({ rejected: 10, timedOut: 10 });
    expect(seen.waiting).toBe(0);
  });

  it('are not given to those who have gone', async () => {
    const { enter, queues } = level(1);
    const [first, gone, last] = ['x', 'x', 'x'].map((flow) => entered(enter(flow))) as [
      QueuedRequest,
      QueuedRequest,
      QueuedRequest,
    ];
    const [never, coming] = [gone.seated(), last.seated()];
    gone.leave();
    await expect(never).resolves.toBe(false);
    first.leave();
    await expect(coming).resolves.toBe(true);
    expect(queues.counts).toMatchObject({ dispatched: 2, cancelled: 1 });
  });

  it('go to flows by turns, however many requests one of them has waiting', () => {
    const { enter, clock } = level(4, { queues: 64, handSize: 1, queueLengthLimit: 1_000 });
    const running = new Set<QueuedRequest>();
    const done = { noisy: 0, quiet: 0 };
    const waiting: QueuedRequest[] = [];
    for (let count = 0; count < 500; count++) waiting.push(entered(enter('noisy')));
    for (let count = 0; count < 50; count++) waiting.push(entered(enter('quiet')));
    for (let round = 0; round < 25; round++) {
      for (const entry of waiting) if (entry.state === 'executing') running.add(entry);
      void clock.advance(10);
      for (const entry of running) {
        done[entry.from.flow as 'noisy' | 'quiet']++;
        entry.leave();
      }
      running.clear();
    }
    // Each has half of what was done.
    expect(done.noisy + done.quiet).toBe(100);
    expect(done.quiet).toBeGreaterThanOrEqual(45);
  });

  it('are held for what follows a write, and all of them by who needs more than there are', async () => {
    const { clock, enter, seen } = level(4);
    const estimate = { initialSeats: 1, finalSeats: 3, additionalMs: 50 };
    entered(enter('x', { estimate })).leave();
    expect(seen).toMatchObject({ executing: 0, seats: 3 });
    const wide = entered(enter('y', { estimate: { ...ONE_SEAT, initialSeats: 9 } }));
    // Nobody is carried out, though seats are still held.
    expect(wide.seated()).toBe(true);
    const next = entered(enter('x'));
    expect(next.state).toBe('waiting');
    wide.leave();
    await clock.advance(50);
    expect(next.state).toBe('executing');
    next.leave();
    expect(seen.seats).toBe(0);
  });

  it('may become more or less while somebody waits, and so may queues', async () => {
    const { enter, queues } = level(1);
    const entries = Array.from({ length: 6 }, (_, at) => entered(enter(`flow-${at}`)));
    queues.configure(3, { ...QUEUING, queues: 2 });
    expect(queues.executing).toBe(3);
    for (const entry of [...entries]) entry.leave();
    expect(queues.queues).toHaveLength(0);
    queues.configure(3, undefined);
    expect(entered(enter('x')).seated()).toBe(true);
    expect(queues.queues).toHaveLength(0);
  });

  it('of a level with very many queues cost no more than those that are used', () => {
    const { enter, queues } = level(1, { queues: 10_000_000, handSize: 2, queueLengthLimit: 5 });
    for (let count = 0; count < 4; count++) enter('x');
    expect(queues.queues.length).toBeLessThanOrEqual(2);
  });

  it('are not enough where the process has no time: who sends many at once lets one go first who sends few', async () => {
    const rounds: (() => void)[] = [];
    const round = async () => {
      for (const then of rounds.splice(0)) then();
      await Promise.resolve();
    };
    // There is time for none, so that the first of a round begins.
    const pace = new LoopPace(
      0,
      (then) => void rounds.push(then),
      () => 0,
    );
    const { enter, seen, clock } = level(100, { queues: 64, handSize: 1, queueLengthLimit: 150 }, pace);
    const noisy = Array.from({ length: 151 }, () => entered(enter('noisy')));
    expect(enter('noisy')).toBe('queue-full');
    expect(noisy.filter(({ state }) => state === 'executing')).toHaveLength(1);
    const serve = async () => {
      await clock.advance(1);
      for (const entry of noisy) if (entry.state === 'executing') entry.leave();
      // Time that goes by while nobody is carried out is nobody's.
      await clock.advance(1);
    };
    for (let count = 0; count < 20; count++) {
      await round();
      await serve();
    }
    const quiet = entered(enter('quiet'));
    expect(quiet.seated()).toBeInstanceOf(Promise);
    for (let count = 0; count < 2; count++) {
      await round();
      await serve();
    }
    expect(quiet.state).toBe('executing');
    quiet.leave();
    for (const entry of noisy) entry.leave();
    expect(seen).toMatchObject({ waiting: 0, executing: 0, seats: 0 });
    while (rounds.length > 0) await round();
    expect(entered(enter('quiet')).seated()).toBe(true);
  });

  it('go first to who asks once in a while, before all queues of a flow that always waits, which is not left out', async () => {
    const rounds: (() => void)[] = [];
    const begun: string[] = [];
    const pace = new LoopPace(
      0,
      (then) => void rounds.push(then),
      () => 0,
    );
    const { enter, clock } = level(1_000, { queues: 1_024, handSize: 6, queueLengthLimit: 50 }, pace);
    const inside = new Map<QueuedRequest, string>();
    const come = (flow: string) => inside.set(entered(enter(flow)), flow);
    const round = async () => {
      for (const then of rounds.splice(0)) then();
      await clock.advance(1);
      for (const [entry, flow] of inside) {
        if (entry.state !== 'executing') continue;
        begun.push(flow);
        entry.leave();
        inside.delete(entry);
      }
    };
    for (let count = 0; count < 100; count++) come('noisy');
    for (let count = 0; count < 20; count++) await round();
    const before = begun.length;
    for (let count = 0; count < 3; count++) come(`quiet ${count}`);
    await round();
    expect(begun.slice(before).sort()).toEqual(['noisy', 'quiet 0', 'quiet 1', 'quiet 2']);
    // One more comes in each round, so that somebody always asks once in a while.
    for (let count = 3; count < 60; count++) {
      come(`quiet ${count}`);
      await round();
      expect(begun.at(-1) === `quiet ${count}` || begun.at(-2) === `quiet ${count}`).toBe(true);
    }
    expect(begun.slice(before).filter((flow) => flow === 'noisy').length).toBeGreaterThan(50);
  });

  it('come to everybody in the end, whoever comes, leaves and gives up while levels wait for time', async () => {
    const step = fc.record({
      level: fc.nat(1),
      flow: fc.nat(3),
      does: fc.constantFrom('enter' as const, 'enter' as const, 'leave' as const, 'round' as const),
      seats: fc.constantFrom(1, 1, 1, 4),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
      let rounds: (() => void)[] = [];
      const round = () => {
        const now = rounds;
        rounds = [];
        for (const then of now) then();
      };
      const pace = new LoopPace(
        0,
        (then) => void rounds.push(then),
        () => 0,
      );
      const levels = [level(2, QUEUING, pace), level(3, QUEUING, pace)];
      const inside: QueuedRequest[] = [];
      for (const { level: at, flow, does, seats } of steps) {
        if (does === 'round') round();
        else if (does === 'leave') inside.splice(flow, 1)[0]?.leave();
        else {
          const entry = levels[at]?.enter(`f${flow}`, { estimate: { ...ONE_SEAT, initialSeats: seats } });
          if (entry instanceof QueuedRequest) inside.push(entry);
        }
      }
      // No clock goes on: nobody is let go because it has waited for too long.
      for (let count = 0; inside.length > 0 && count < 1_000; count++) {
        round();
        for (const entry of inside.filter(({ state }) => state === 'executing')) {
          entry.leave();
          inside.splice(inside.indexOf(entry), 1);
        }
      }
      expect(inside).toEqual([]);
      for (const { queues, seen } of levels) {
        expect(queues.isIdle).toBe(true);
        expect(seen).toEqual({ waiting: 0, executing: 0, seats: 0 });
      }
      while (rounds.length > 0) round();
      expect(pace.mayBegin()).toBe(true);
    });
    await fc.assert(property, { seed: 20_261_124, numRuns: 300 });
  });
});

describe('who asks for one thing at a time', () => {
  const HELD: StartLimiter = { ...AT_ONCE, mayBegin: () => false, holds: () => true };
  const WIDE = { queues: 128, handSize: 6, queueLengthLimit: 50 };

  it('goes first where time is short, each once', () => {
    const { queues, enter, seen } = level(3, WIDE, HELD);
    for (const flow of ['a', 'b', 'c']) enter(flow);
    expect([1, 2, 3, 4].map(() => queues.resumeSparse())).toEqual([true, true, true, false]);
    expect(seen).toMatchObject({ waiting: 0, executing: 3, seats: 3 });
  });

  it('waits for a turn by shares where seats are short as well', () => {
    const { queues, enter, seen } = level(3, WIDE, HELD);
    for (const flow of ['a', 'b', 'c', 'd']) enter(flow);
    expect(queues.resumeSparse()).toBe(false);
    expect(seen).toMatchObject({ waiting: 4, executing: 0 });
  });

  it('is not one who asks for more, or again before that is answered', () => {
    const { queues, enter } = level(10, { ...WIDE, queues: 1, handSize: 1 }, HELD);
    const first = entered(enter('a'));
    expect(queues.resumeSparse()).toBe(true);
    enter('a');
    expect(queues.resumeSparse()).toBe(false);
    expect(queues.resume()).toBe(false);
    first.leave();
    enter('a');
    enter('a');
    expect(queues.resumeSparse()).toBe(false);
  });

  it('counts as many callers as have hands of queues', () => {
    const { queues, enter } = level(3, WIDE, HELD);
    for (let count = 0; count < 30; count++) enter('busy');
    expect(queues.breadth).toBe(1);
    for (let count = 0; count < 12; count++) enter(`other ${count}`);
    expect(queues.breadth).toBeGreaterThan(2);
  });
});
