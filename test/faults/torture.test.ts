import { afterAll, expect, test } from 'vitest';
import { killInTurns, VICTIMS } from './adversary/adversary.js';
import { type RunResult, run } from './run.js';
import type { Stage } from './stage/stage.js';

const SEED = 20_260_101;
let result: RunResult | undefined;

afterAll(() => {
  if (result && result.violations.length > 0) console.error(`seed ${SEED}`, result.counts, result.strikes);
});

/** A short torture for every change; `make torture` is the long one. */
test('every kind of server is killed under 48 watchers and 4 writers, and no promise is broken', async () => {
  const faults = (stage: Stage) => killInTurns(stage, VICTIMS, [500, 1_500]);
  result = await run({ seed: SEED, seconds: 25, watchers: 48, writers: 4, faults });
  expect(result.violations.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([]);
  const struck = new Set(result.strikes.map(({ victim }) => victim.replace(/-\d+$/, '')));
  expect([...struck].sort()).toEqual(['api-server', 'nats', 'postgres', 'watch-gateway']);
  expect(result.counts['changes committed']).toBeGreaterThan(100);
  expect(result.counts['events received']).toBeGreaterThan(1_000);
}, 180_000);
