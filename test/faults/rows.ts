import { expect, test } from 'vitest';
import { SCENARIOS } from './scenarios/index.js';
import type { Rule } from './validators/violation.js';

const SEED = 20_260_101;
/** Everything as small and short as it can be and still mean something. */
const SCALE = 0.05;
const TIMEOUT_MS = 480_000;
/** Promises about time: a busy machine may break one in one run, a server that is too slow breaks it in the next as well. */
const ABOUT_TIME: readonly Rule[] = ['R.latency', 'R.recovery'];

/** Tries rows of README.md on every change; `make torture-full` tries all of them at full length. */
export function tryRows(names: readonly string[]): void {
  const rows = names.map((name) => SCENARIOS.find((scenario) => scenario.name === name) ?? expect.unreachable(name));
  test.each(rows)(
    '$name: $fault',
    async (scenario) => {
      const lines: string[] = [];
      const attempt = () => scenario.run({ seed: SEED, scale: SCALE, log: (line) => lines.push(line) });
      let result = await attempt();
      const late = result.violations.length > 0 && result.violations.every(({ rule }) => ABOUT_TIME.includes(rule));
      if (late) result = await attempt();
      const found = result.violations.map(({ rule, message }) => `${rule}: ${message}`);
      if (found.length > 0) console.error(`seed ${SEED}`, result.counts, result.measures, lines);
      expect(found).toEqual([]);
    },
    TIMEOUT_MS,
  );
}
