import { ManualClock } from '@orch/runtime/testing';
import type { Progress } from '@orch/storage';
import { beforeEach, describe, expect, it } from 'vitest';
import { PRESENCE_MS, ServerPresence } from './server-presence.js';

let clock: ManualClock;
let told: Progress[];
let withdrawn: number;
let progress: Progress;
/** When what is served is current; the time that passes where it always is. */
let currentAsOf: number | undefined;
let catchingUp: Promise<void>;
let failure: Error | undefined;
let errors: unknown[];
let presence: ServerPresence;
beforeEach(() => {
  clock = new ManualClock();
  told = [];
  withdrawn = 0;
  progress = { served: 5n, drained: 5n, held: [] };
  currentAsOf = undefined;
  catchingUp = Promise.resolve();
  failure = undefined;
  errors = [];
  presence = new ServerPresence({
    presence: {
      async publish(word) {
        if (failure) throw failure;
        told.push(word);
      },
      async withdraw() {
        withdrawn++;
      },
    },
    progress: () => progress,
    currentAsOf: () => currentAsOf ?? clock.now(),
    catchUp: () => catchingUp,
    onError: (error) => void errors.push(error),
    clock,
  });
});

describe('a server', () => {
  it('counts once it has said that it is there and has caught up then', async () => {
    let caughtUp = (): void => undefined;
    catchingUp = new Promise((resolve) => {
      caughtUp = resolve;
    });
    let started = false;
    const starting = presence.start().then(() => {
      started = true;
    });
    await clock.advance(1);
    expect([told.length, started, presence.counts]).toEqual([1, false, false]);
    caughtUp();
    await starting;
    expect(presence.counts).toBe(true);
  });

  it('begins anew when it took too long to catch up', async () => {
    let caughtUp = (): void => undefined;
    catchingUp = new Promise((resolve) => {
      caughtUp = resolve;
    });
    const starting = presence.start();
    await clock.advance(PRESENCE_MS);
    catchingUp = Promise.resolve();
    caughtUp();
    await starting;
    expect(told.length).toBeGreaterThan(1);
    expect(presence.counts).toBe(true);
  });

  it('says soon how far it has come, once for all that came together', async () => {
    await presence.start();
    await clock.advance(100);
    const before = told.length;
    for (let version = 6n; version <= 9n; version++) {
      progress = { served: version, drained: 5n, held: [] };
      presence.progressed();
    }
    await clock.advance(100);
    const words = told.slice(before);
    expect(words.at(-1)).toEqual({ served: 9n, drained: 5n, held: [] });
    expect(words.length).toBeLessThanOrEqual(2);
    presence.progressed();
    await clock.advance(100);
    expect(told).toHaveLength(before + words.length);
  });

  it('says what else it holds, though it has come no further', async () => {
    await presence.start();
    await clock.advance(100);
    for (const held of [['a'], ['b'], []]) {
      progress = { served: 5n, drained: 5n, held };
      presence.progressed();
      await clock.advance(100);
      expect(told.at(-1)?.held).toEqual(held);
    }
  });

  it('goes on to count for as long as it follows, and says so a few times in that time', async () => {
    await presence.start();
    for (let at = 0; at < 10 * PRESENCE_MS; at += 500) {
      await clock.advance(500);
      expect(presence.counts).toBe(true);
    }
    expect(told.length).toBeLessThan(50);
    expect(presence.joins).toBe(1);
  });

  it('lets nobody wait for it when it does not follow any more; it knows that it does not count', async () => {
    await presence.start();
    await clock.advance(1_000);
    currentAsOf = clock.now();
    catchingUp = new Promise(() => undefined);
    await clock.advance(2 * PRESENCE_MS);
    const said = told.length;
    expect(presence.counts).toBe(false);
    await clock.advance(5 * PRESENCE_MS);
    expect(told.length).toBeLessThanOrEqual(said + 1);
  });

  it('counts again, and anew, once it has caught up', async () => {
    await presence.start();
    currentAsOf = clock.now();
    let caughtUp = (): void => undefined;
    catchingUp = new Promise((resolve) => {
      caughtUp = resolve;
    });
    await clock.advance(3 * PRESENCE_MS);
    const joining = presence.join();
    expect(presence.counts).toBe(false);
    currentAsOf = undefined;
    catchingUp = Promise.resolve();
    caughtUp();
    await joining;
    expect([presence.counts, presence.joins]).toEqual([true, 2]);
  });

  it('does not count while the database does not answer, and tries again', async () => {
    await presence.start();
    failure = new Error('down');
    await clock.advance(2 * PRESENCE_MS);
    expect(presence.counts).toBe(false);
    await expect(presence.join()).rejects.toThrow('down');
    failure = undefined;
    await clock.advance(PRESENCE_MS);
    expect(presence.counts).toBe(true);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThan(20);
  });

  it('takes its word back when it ends, and is heard no more', async () => {
    await presence.start();
    await presence.stop();
    const said = told.length;
    expect([withdrawn, presence.counts]).toEqual([1, false]);
    presence.progressed();
    await clock.advance(3 * PRESENCE_MS);
    expect(told).toHaveLength(said);
  });
});
