import type { Clock } from '@orch/feed';
import { describe, expect, it } from 'vitest';
import { Audience } from './audience.js';
import { CacheEntry } from './cache-entry.js';
import { FlushSchedule } from './flush-schedule.js';
import type { ChangeEvent } from './ring.js';
import { testEncoder } from './testing/fixtures.js';
import type { Watcher } from './watcher.js';

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
  const audience = new Audience('', {}, testEncoder);
  for (let number = 0; number < watchers; number++) audience.live.push({} as Watcher);
  const entry = new CacheEntry('a', 'b', 'u', 1n, Buffer.alloc(0), () => ({ labels: {}, fields: {} }));
  const delivered: number[] = [];
  const answered: number[] = [];
  let pending: number[] = [];
  let written = 0;
  const schedule = new FlushSchedule(loop, 10, 500, (flushed) => {
    schedule.clear(flushed);
    if (flushed.take() === undefined) return;
    const began = loop.now();
    const events = pending.length;
    loop.take(watchers * WRITE);
    // As the watcher in the middle sees it.
    for (const at of pending) delivered.push((began + loop.now()) / 2 - at);
    pending = [];
    flushed.lastFlush = loop.now();
    flushed.lastFlushTook = flushed.lastFlush - began;
    flushed.lastFlushEvents = events;
  });
  const each = (perSecond: number, begin: (at: number) => void) => {
    for (let at = 0; at < SECONDS * 1000; at += (-Math.log(1 - random()) * 1000) / perSecond) {
      const arrival = at;
      loop.arrive(arrival, () => begin(arrival));
    }
  };
  each(rate, () => {
    loop.take(INGEST / 2);
    const committed = loop.now() + DATABASE;
    written++;
    loop.arrive(committed, () => {
      loop.take(INGEST / 2);
      pending.push(committed);
      const event: ChangeEvent = { version: 1n, op: 'update', entry, prior: entry, at: committed, frames: undefined };
      audience.gather(Buffer.alloc(1), event);
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
  expect(delivered).toHaveLength(written);
  return {
    p50: percentile(delivered, 0.5),
    p99: percentile(delivered, 0.99),
    api50: percentile(answered, 0.5),
    api99: percentile(answered, 0.99),
  };
}

describe('the schedule of flushes', () => {
  const flush = 1_000 * WRITE;

  it('has an event wait for one flush under way and half as long again, with room for others', () => {
    for (const rate of [100, 500, 1_000]) {
      const { p50, p99, api99 } = simulate(1_000, rate);
      expect(p50).toBeLessThan(flush);
      // The flush under way, the gathering, and the half of its own that is before the watcher in the middle.
      expect(p99).toBeLessThan(flush * 2.5);
      expect(api99).toBeLessThan(flush * 2);
    }
  });

  it('leaves half of the time to others where they need it', () => {
    const { p50, p99, api50, api99 } = simulate(1_000, 2_000);
    expect(p50).toBeLessThan(flush * 2);
    expect(p99).toBeLessThan(flush * 4);
    expect(api50).toBeLessThan(flush * 2);
    expect(api99).toBeLessThan(flush * 3);
  });

  it('serves small audiences, and the lone event, at once', () => {
    expect(simulate(100, 500).p99).toBeLessThan(3);
    expect(simulate(1_000, 5).p50).toBeLessThan(flush / 2 + 1);
  });
});
