import type { Clock } from '@orch/runtime/clock';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../history/change-event.js';
import { CacheEntry } from '../state/cache-entry.js';
import { testEncoder } from '../testing/fixtures.js';
import { FlushSchedule } from './flush-schedule.js';
import { SharedInterest } from './interest.js';
import { Audience, type Cohort, type Watcher } from './watcher.js';

interface Task {
  readonly at: number;
  readonly run: () => void;
}

/** Tasks by time. */
class Queue {
  #tasks: Task[] = [];

  add(task: Task): void {
    let place = this.#tasks.length;
    while (place > 0 && (this.#tasks[place - 1] as Task).at > task.at) place--;
    this.#tasks.splice(place, 0, task);
  }

  remove(task: Task): void {
    this.#tasks = this.#tasks.filter((each) => each !== task);
  }

  runDue(now: number): void {
    const later = this.#tasks.findIndex(({ at }) => at > now);
    for (const { run } of this.#tasks.splice(0, later < 0 ? this.#tasks.length : later)) run();
  }

  get next(): number {
    return this.#tasks[0]?.at ?? Number.POSITIVE_INFINITY;
  }
}

/** An event loop whose tasks take the time that they say: timers, then what has arrived, then what was put off. */
class Loop implements Clock {
  #now = 0;
  readonly #timers = new Queue();
  readonly #arrivals = new Queue();
  #soon: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(1, Math.trunc(ms)), run };
    this.#timers.add(timer);
    return () => this.#timers.remove(timer);
  }

  soon(run: () => void): void {
    this.#soon.push(run);
  }

  arrive(at: number, run: () => void): void {
    this.#arrivals.add({ at, run });
  }

  take(ms: number): void {
    this.#now += ms;
  }

  run(): void {
    while (Math.min(this.#timers.next, this.#arrivals.next) < Number.POSITIVE_INFINITY || this.#soon.length > 0) {
      if (this.#soon.length === 0) this.#now = Math.max(this.#now, Math.min(this.#timers.next, this.#arrivals.next));
      this.#timers.runDue(this.#now);
      this.#arrivals.runDue(this.#now);
      for (const task of this.#soon.splice(0)) task();
    }
  }
}

/** Milliseconds for one watcher's write, for taking in a change, for a request; and what the database takes. */
const WRITE = 0.008;
const INGEST = 0.25;
const REQUEST = 0.15;
const DATABASE = 1.5;
const SECONDS = 4;

/** Numbers in [0, 1), always the same. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const percentile = (values: number[], part: number): number =>
  values.sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

/** One process that takes writes and 200 reads a second, and delivers to one audience; latencies in milliseconds. */
function simulate(watchers: number, rate: number) {
  const loop = new Loop();
  const random = numbers();
  const audience = new Audience('', new SharedInterest('', {}), testEncoder, 128);
  for (let number = 0; number < watchers; number++) audience.cohortWithRoom().join({} as Watcher);
  const entry = new CacheEntry('a', 'b', 'u', 1n, Buffer.alloc(0), () => ({ labels: {}, fields: {} }));
  const delivered: number[] = [];
  const answered: number[] = [];
  const pending = new Map<Cohort, number[]>(audience.cohorts.map((cohort) => [cohort, []]));
  let written = 0;
  const schedule = new FlushSchedule(loop, { maxGather: 10, watchersPerGatherMs: 500 }, (cohort) => {
    if (cohort.take() === undefined) return;
    const began = loop.now();
    loop.take(cohort.live.length * WRITE);
    // As the watcher in the middle sees it.
    for (const asked of pending.get(cohort) ?? []) delivered.push((began + loop.now()) / 2 - asked);
    pending.set(cohort, []);
  });
  const each = (perSecond: number, begin: (at: number) => void) => {
    for (let at = 0; at < SECONDS * 1000; at += (-Math.log(1 - random()) * 1000) / perSecond) {
      const arrival = at;
      loop.arrive(arrival, () => begin(arrival));
    }
  };
  each(rate, (asked) => {
    loop.take(INGEST / 2);
    const committed = loop.now() + DATABASE;
    written++;
    loop.arrive(committed, () => {
      loop.take(INGEST / 2);
      const event: ChangeEvent = { version: 1n, op: 'update', entry, prior: entry, at: committed, frames: undefined };
      for (const [cohort, waiting] of pending) {
        waiting.push(asked);
        cohort.gather([Buffer.alloc(1)], event);
      }
      schedule.mark(audience);
    });
  });
  each(200, (asked) => {
    loop.take(REQUEST / 2);
    loop.arrive(loop.now() + DATABASE, () => {
      loop.take(REQUEST / 2);
      answered.push(loop.now() - asked);
    });
  });
  loop.run();
  expect(delivered).toHaveLength(written * audience.cohorts.length);
  return {
    p50: percentile(delivered, 0.5),
    p99: percentile(delivered, 0.99),
    api50: percentile(answered, 0.5),
    api99: percentile(answered, 0.99),
  };
}

describe('the schedule of flushes', () => {
  const flush = 1_000 * WRITE;
  /** From the request until the change is taken in, when nothing else happens. */
  const before = INGEST + DATABASE;

  it('has an event wait for less than one flush and half as long again, and all else for a slice of one', () => {
    for (const rate of [20, 100, 500, 1_000]) {
      const { p50, p99, api99 } = simulate(1_000, rate);
      expect(p50 - before).toBeLessThan(flush * 1.2);
      expect(p99 - before).toBeLessThan(flush * 2.2);
      expect(api99 - before).toBeLessThan(flush / 2);
    }
  });

  it('leaves half of the time to others where they need it', () => {
    const { p50, p99, api99 } = simulate(1_000, 2_000);
    expect(p50 - before).toBeLessThan(flush * 1.6);
    expect(p99 - before).toBeLessThan(flush * 3.5);
    expect(api99 - before).toBeLessThan(flush);
  });

  it('holds nothing up for longer when there are more watchers', () => {
    const { p99, api99 } = simulate(5_000, 100);
    expect(p99 - before).toBeLessThan(5 * flush * 1.5);
    expect(api99 - before).toBeLessThan(flush / 2);
  });

  it('serves small audiences, and the lone event, at once', () => {
    expect(simulate(100, 500).p99 - before).toBeLessThan(3);
    expect(simulate(1_000, 5).p50 - before).toBeLessThan(flush / 2 + 1.5);
  });
});
