import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type AlertTime, alertTimes, timeText } from './alert-times.js';
import { FAULTS, type Fault } from './faults.js';
import { readRules } from './rule-file.js';
import { RULES } from './stage.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const MANUAL = readFileSync(here('../../docs/monitoring.md'), 'utf8');

/** What the tests in this folder have fire in faults that are made. */
const MADE = new Set(
  readdirSync(here('.'))
    .filter((name) => name.endsWith('.test.ts') && !/^(rules|alert-times)\./.test(name))
    .flatMap((name) => firedIn(readFileSync(here(name), 'utf8'))),
);

/** Names of alerts that a test waits for, where they do not stand in a list of exceptions. */
function firedIn(source: string): string[] {
  const lists = [...source.matchAll(/(?:stage\.firing\(|const (?:OUTSIDE|HELD) = \[)([^)\]]*)/g)];
  return lists.flatMap(([, list = '']) => [...list.matchAll(/'(Orch\w+)'/g)].map(([, name = '']) => name));
}

/** A row of the table of the manual. */
function rowOf({ alert, severity, fault }: Fault, { fires, ends }: AlertTime): string {
  const name = severity ? `\`${alert}\`, ${severity}` : `\`${alert}\``;
  const times = [fires, ends].map((seconds) => (seconds === undefined ? 'never' : timeText(seconds)));
  return `| ${name} | ${fault} | ${MADE.has(alert) ? 'servers' : 'series'} | ${times.join(' | ')} |`;
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
