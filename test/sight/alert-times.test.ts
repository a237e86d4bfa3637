import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { alertTimes, timeText } from './alert-times.js';
import { FAULTS } from './faults.js';
import { readRules } from './rule-file.js';

const RULES = fileURLToPath(new URL('../../deploy/prometheus/rules/orch.yml', import.meta.url));

test('x', { timeout: 60_000 }, () => {
  const times = alertTimes(readRules(RULES), FAULTS);
  for (const [at, { alert, severity }] of FAULTS.entries())
    console.log(alert, severity ?? '', times[at], timeText(times[at]?.fires ?? -1), timeText(times[at]?.ends ?? -1));
  expect(1).toBe(1);
});
