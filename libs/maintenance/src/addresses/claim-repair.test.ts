import { silentLogger } from '@orch/runtime';
import type { ProcessLease } from '@orch/storage';
import { expect, it } from 'vitest';
import { ClaimRepair } from './claim-repair.js';

/** A lease as the database keeps it, without its time. */
function sharedLease(): () => ProcessLease {
  let holder: symbol | undefined;
  return () => {
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
}

const CLEAN = { givenUp: 0, claimed: 0, duplicates: 0, outside: 0 };

it('is done by the process that began, and by another when that one has stopped', async () => {
  const lease = sharedLease();
  const repair = () =>
    new ClaimRepair({ check: { run: async () => CLEAN }, lease, intervalMs: 60_000, logger: silentLogger });
  const [one, two] = [repair(), repair()];
  expect(await one.runOnce()).toEqual(CLEAN);
  expect(await two.runOnce()).toBeUndefined();
  expect(await one.runOnce()).toEqual(CLEAN);
  await one.stop();
  expect(await two.runOnce()).toEqual(CLEAN);
});

it('goes on after a round that failed, which is logged', async () => {
  const errors: unknown[] = [];
  let rounds = 0;
  const run = async () => {
    if (++rounds === 1) throw new Error('no database');
    return CLEAN;
  };
  const logger = { ...silentLogger, error: (_message: string, error: unknown) => errors.push(error) };
  const repair = new ClaimRepair({ check: { run }, lease: sharedLease(), intervalMs: 5, logger });
  repair.start();
  await expect.poll(() => rounds).toBeGreaterThan(1);
  await repair.stop();
  expect(errors).toEqual([new Error('no database')]);
});
