import { expect, test } from 'vitest';
import { SCENARIOS } from './scenarios/index.js';
import type { Rule } from './validators/violation.js';

const SEED = 20_260_101;
/** Everything as small and short as it can be and still mean something. */
const SCALE = 0.05;
const TIMEOUT_MS = 480_000;
/** Promises about time: a busy machine may break one in one run, a server that is too slow breaks it in the next as well. */
const ABOUT_TIME: readonly Rule[] = ['R.latency', 'R.recovery'];

/** Rows that are tried on every change; `make torture-full` tries all of them at full length. */
const CHOSEN = [
  'commit-publish',
  'postgres-kills',
  'head-row-held',
  'failover-asynchronous',
  'nats-partitioned',
  'nats-tampered',
  'forged-records',
  'forged-believed',
  'gateway-kills',
  'gateway-without-postgres',
  'stalled-watchers',
  'stalled-unbounded',
  'herd',
  'initial-events-cut',
  'restored-backup',
  'busy-pages',
  'compaction',
  'watch-from',
  'trespass',
];

test.each(SCENARIOS.filter(({ name }) => CHOSEN.includes(name)))(
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
