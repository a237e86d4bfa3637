import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type AlertTime, alertTimes, timeText } from './alert-times.js';
import { type Fault, nameOf } from './fault-series.js';
import { measuredTimes } from './fault-times.js';
import { FAULTS } from './faults.js';
import { readRules } from './rule-file.js';
import { RULES } from './stage.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const MEASURED = measuredTimes();
const MANUAL = readFileSync(here('../../docs/monitoring.md'), 'utf8');

/** Alerts that the tests in this folder fire by real faults: the names in their text. */
const MADE = new Set(
  [
    read('faults.test.ts'),
    read('machines.test.ts'),
    read('sight.test.ts').split("describe('alerts fire in their faults")[1] ?? '',
  ]
    .flatMap((text) => [...text.matchAll(/'(Orch\w+)[',]/g)])
    .map(([, name = '']) => name),
);

function read(name: string): string {
  return readFileSync(here(name), 'utf8');
}

/** A row of the table of the manual. */
function rowOf(fault: Fault, { fires, ends }: AlertTime): string {
  const { alert, severity } = fault;
  const name = severity ? `\`${alert}\`, ${severity}` : `\`${alert}\``;
  const times = [fires, ends].map((seconds) => (seconds === undefined ? 'never' : timeText(seconds)));
  const seen = MEASURED.get(nameOf(fault));
  const measured = [seen?.fires, seen?.ends].map((seconds) => (seconds == null ? '—' : timeText(Math.round(seconds))));
  return `| ${[name, fault.fault, MADE.has(alert) ? 'servers' : 'series', ...times, ...measured].join(' | ')} |`;
}

test('each alert has a fault in which it fires and with which it ends, as the manual says', {
  timeout: 120_000,
}, () => {
  const groups = readRules(RULES);
  const alerts = groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  expect([...FAULTS.map(({ alert }) => alert)].sort()).toEqual([...alerts].sort());
  const times = alertTimes(groups, FAULTS);
  for (const [at, { alert }] of FAULTS.entries())
    expect([alert, times[at]]).toEqual([alert, { fires: expect.any(Number), ends: expect.any(Number) }]);
  const rows = FAULTS.map((fault, at) => rowOf(fault, times[at] as AlertTime));
  expect(rows.filter((row) => !MANUAL.includes(row)).join('\n')).toBe('');
});
