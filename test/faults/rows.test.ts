import { expect, test } from 'vitest';
import { SCENARIOS } from './scenarios/index.js';

const SEED = 20_260_101;
/** Everything as small and short as it can be and still mean something. */
const SCALE = 0.05;
const TIMEOUT_MS = 240_000;

/** Rows that are tried on every change; `make torture-full` tries all of them at full length. */
const CHOSEN = [
  'commit-publish',
  'postgres-kills',
  'head-row-held',
  'failover-asynchronous',
  'nats-partitioned',
  'gateway-kills',
  'gateway-without-postgres',
  'stalled-watchers',
  'herd',
  'initial-events-cut',
  'compaction',
  'watch-from',
];

test.each(SCENARIOS.filter(({ name }) => CHOSEN.includes(name)))(
  '$name: $fault',
  async (scenario) => {
    const lines: string[] = [];
    const result = await scenario.run({ seed: SEED, scale: SCALE, log: (line) => lines.push(line) });
    const found = result.violations.map(({ rule, message }) => `${rule}: ${message}`);
    if (found.length > 0) console.error(`seed ${SEED}`, result.counts, result.measures, lines);
    expect(found).toEqual([]);
  },
  TIMEOUT_MS,
);
