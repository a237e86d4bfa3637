import { ManualClock } from '@orch/runtime/testing';
import { LEADERSHIP_MS, RENEWAL_MS } from '@orch/runtime/work';
import { runControllers } from '@orch/testing';
import type { OwnRun } from '@orch/writing';
import { expect, it } from 'vitest';
import { claimRepair } from './claim-repair.js';

const INTERVAL_MS = 60_000;
const CLEAN = { givenUp: 0, claimed: 0, duplicates: 0, outside: 0 };

/** Processes of one installation that check claims, with a lease as the database keeps it, without its time. */
function installation() {
  const clock = new ManualClock();
  let holder: symbol | undefined;
  const lease = () => {
    const me = Symbol('process');
    return {
      async take() {
        holder ??= me;
        return holder === me;
      },
      async giveBack() {
        if (holder === me) holder = undefined;
      },
    };
  };
  const run = (look: (run: OwnRun) => Promise<typeof CLEAN>, onError = (_error: unknown): void => undefined) =>
    runControllers(
      { controllers: [claimRepair({ check: { run: look }, intervalMs: INTERVAL_MS })] },
      { clock, lease: lease(), onError },
    );
  return { clock, run };
}

it('is done by the process that leads, and by another when that one has stopped', async () => {
  const { clock, run } = installation();
  const looks = { one: 0, two: 0 };
  const look = (who: keyof typeof looks) => async () => {
    looks[who]++;
    return CLEAN;
  };
  const one = await run(look('one'));
  await clock.settle();
  const two = await run(look('two'));
  await clock.advance(INTERVAL_MS);
  expect(looks).toEqual({ one: 2, two: 0 });
  await one.stop();
  await clock.advance(RENEWAL_MS);
  expect(looks).toEqual({ one: 2, two: 1 });
  await two.stop();
});

it('is done again after a failure, which is told', async () => {
  const { clock, run } = installation();
  const errors: unknown[] = [];
  const failure = new Error('no database');
  const looks: number[] = [];
  const look = async () => {
    looks.push(clock.now());
    if (looks.length < 4) throw failure;
    return CLEAN;
  };
  const running = await run(look, (error) => void errors.push(error));
  await clock.advance(INTERVAL_MS);
  expect([looks, errors]).toEqual([
    [0, 1_000, 3_000, 7_000],
    [failure, failure, failure],
  ]);
  await clock.advance(7_000);
  expect(looks).toHaveLength(5);
  await running.stop();
});

it('is told that it is not to go on once its process has lost the lease', async () => {
  const clock = new ManualClock();
  const runs: OwnRun[] = [];
  let isFree = true;
  let end = (): void => undefined;
  const look = async (run: OwnRun) => {
    runs.push(run);
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    return CLEAN;
  };
  const group = { controllers: [claimRepair({ check: { run: look }, intervalMs: INTERVAL_MS })] };
  const running = await runControllers(group, { clock, isFree: () => isFree });
  await clock.settle();
  expect(runs[0]?.goesOn).toBe(true);
  isFree = false;
  await clock.advance(LEADERSHIP_MS);
  end();
  await clock.advance(10 * INTERVAL_MS);
  expect([runs.length, runs[0]?.goesOn]).toEqual([1, false]);
  await running.stop();
});
