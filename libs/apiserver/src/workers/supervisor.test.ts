import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { Supervisor, type WorkerEvents } from './supervisor.js';

interface Started extends WorkerEvents {
  readonly place: number;
  readonly signals: string[];
}

let clock: ManualClock;
let started: Started[];
let ready: number;
let supervisor: Supervisor;
let exitCode: number | undefined;

beforeEach(() => {
  clock = new ManualClock();
  started = [];
  ready = 0;
  exitCode = undefined;
  supervisor = new Supervisor({
    count: 3,
    clock,
    logger: silentLogger,
    onReady: () => ready++,
    fork(place, events) {
      const signals: string[] = [];
      started.push({ place, signals, ...events });
      return { kill: (signal) => void signals.push(signal) };
    },
  });
  void supervisor.finished.then((code) => {
    exitCode = code;
  });
  supervisor.start();
});

const places = () => started.map(({ place }) => place);
const last = () => started.at(-1) as Started;
const serveAll = () => {
  started[0]?.onReady();
  for (const worker of started.slice(1)) worker.onReady();
};

describe('Supervisor', () => {
  it('starts the first alone and the others once it serves, and says when all do', () => {
    expect(places()).toEqual([1]);
    started[0]?.onReady();
    expect(places()).toEqual([1, 2, 3]);
    started[1]?.onReady();
    expect(ready).toBe(0);
    started[2]?.onReady();
    expect(ready).toBe(1);
  });

  it('gives up at once when the first cannot start', async () => {
    started[0]?.onExit(1);
    await clock.advance(0);
    expect([exitCode, places()]).toEqual([1, [1]]);
  });

  it('starts another for one that is gone, after pauses that double', async () => {
    serveAll();
    for (const pause of [1000, 2000, 4000, 8000]) {
      last().onExit(1);
      const before = started.length;
      await clock.advance(pause - 1);
      expect(started.length).toBe(before);
      await clock.advance(1);
      expect([started.length, last().place]).toEqual([before + 1, 3]);
      last().onReady();
    }
    expect(ready).toBe(1);
  });

  it('forgets the failures of one that has served for a minute', async () => {
    serveAll();
    for (let round = 0; round < 20; round++) {
      last().onExit(0);
      await clock.advance(1000);
      last().onReady();
      await clock.advance(60_000);
    }
    expect(exitCode).toBeUndefined();
  });

  it('ends all when one keeps dying, with an exit code', async () => {
    serveAll();
    const others = started.slice(0, 2);
    for (let round = 0; round < 6; round++) {
      last().onExit(1);
      await clock.advance(30_000);
    }
    expect(others.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM']]);
    for (const worker of others) worker.onExit(0);
    await clock.advance(0);
    expect([exitCode, clock.pending]).toEqual([1, 0]);
  });

  it('stops all and waits for them, the second time without mercy', async () => {
    serveAll();
    supervisor.stop();
    supervisor.stop();
    expect(started.map(({ signals }) => signals)).toEqual(Array(3).fill(['SIGTERM', 'SIGKILL']));
    started[0]?.onExit(0);
    started[1]?.onExit(0);
    await clock.advance(100_000);
    expect(exitCode).toBeUndefined();
    started[2]?.onExit(0);
    await clock.advance(0);
    expect([exitCode, started.length]).toEqual([0, 3]);
  });

  it('does not start another for one that was about to be while it stops', async () => {
    serveAll();
    last().onExit(1);
    supervisor.stop();
    for (const worker of started.slice(0, 2)) worker.onExit(0);
    await clock.advance(100_000);
    expect([exitCode, started.length]).toEqual([0, 3]);
  });
});
