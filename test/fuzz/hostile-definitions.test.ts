import { setImmediate as nextTask } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileCases } from './definitions/generated.js';
import { type Judged, judge } from './definitions/judge.js';
import { LongestStep, retainedBytes } from './definitions/steps.js';

/** `HOSTILE_CASES=10000 HOSTILE_SEED=7 npx vitest run --config test/vitest.config.ts test/fuzz/hostile-definitions` for more of them. */
const CASES = Number(process.env.HOSTILE_CASES ?? 100);
const SEED = Number(process.env.HOSTILE_SEED ?? 20_261_127);
/** The case that failed, as fast-check tells its `path`. */
const PATH = process.env.HOSTILE_PATH ?? '';
/** CPU time of one step, milliseconds; HOSTILE_MAX_STEP_MS gives machines room that compute slowly. */
const MAX_STEP_MS = Number(process.env.HOSTILE_MAX_STEP_MS ?? 50);
/** Attempts: the cost of a step shows in each, the cost of garbage collection or compilation does not. */
const TRIES = 4;
/** Caches fill up to their bounds, whatever comes. */
const MAX_RETAINED_BYTES = 96 << 20;

test(
  `hostile definitions and objects hold up nobody, and leave nothing behind (seed ${SEED})`,
  async () => {
    const [before, outcomes] = [retainedBytes(), new Map<Judged, number>()];
    let worst = new LongestStep();
    const property = fc.asyncProperty(hostileCases, async (hostile) => {
      // What is held weakly ends between tasks.
      await nextTask();
      let least: LongestStep | undefined;
      for (let attempt = 0; attempt < TRIES && (least?.ms ?? Number.POSITIVE_INFINITY) > MAX_STEP_MS; attempt++) {
        const longest = new LongestStep();
        const judged = await judge(hostile, longest);
        if (attempt === 0) outcomes.set(judged, (outcomes.get(judged) ?? 0) + 1);
        if (!least || longest.ms < least.ms) least = longest;
      }
      if (least && least.ms > worst.ms) worst = least;
      expect(least?.ms, `a step of ${least?.of}`).toBeLessThanOrEqual(MAX_STEP_MS);
    });
    await fc.assert(property, { seed: SEED, numRuns: CASES, endOnFailure: true, path: PATH });
    await nextTask();
    const retained = retainedBytes() - before;
    const told = [...outcomes].map(([judged, count]) => `${count} ${judged}`).join(', ');
    console.log(`${told}; longest step ${worst.ms.toFixed(1)} ms of ${worst.of}; ${retained >> 20} MiB retained`);
    expect(retained).toBeLessThan(MAX_RETAINED_BYTES);
    // Of a single case that is run again nothing is asked.
    if (PATH === '') expect(outcomes.get('object taken') ?? 0).toBeGreaterThan(CASES / 3);
  },
  60_000 + CASES * 2_000,
);
