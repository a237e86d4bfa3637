import { expect, test } from 'vitest';
import { checkRights, type RightsChange, type WatchRecord } from './rights.js';

/** Taken between 1,000 and 1,010, given back between 5,000 and 5,010. */
const CHANGES: readonly RightsChange[] = [
  { kind: 'taken', begun: 1_000, answered: 1_010 },
  { kind: 'given', begun: 5_000, answered: 5_010 },
];
const WITHIN_MS = 1_000;
const watch = (more: Partial<WatchRecord>): WatchRecord => ({
  ...{ where: 'a gateway', begun: 0, answered: 10, status: 200, events: [] },
  ...more,
});
const refused = (at: number) => ({ at, code: 403, whole: true });

test.each<[string, Partial<WatchRecord>, string[]]>([
  ['what is written within a second', { events: [{ sent: 2_000, at: 4_000 }] }, []],
  ['what is written later', { events: [{ sent: 2_011, at: 2_020 }] }, ['R.forbidden']],
  ['what is written before they are given back, and read after', { events: [{ sent: 4_900, at: 5_100 }] }, []],
  ['an end when they are taken', { end: refused(1_005) }, []],
  ['an end before', { end: refused(999) }, ['R.stream']],
  ['an end of what began long after they were given back', { begun: 6_100, end: refused(7_000) }, ['R.stream']],
  ['an end of what began soon after', { begun: 6_000, end: refused(7_000) }, []],
  ['an end without an error', { end: { at: 1_005, code: undefined, whole: true } }, ['R.stream']],
  ['an end with another error', { end: { at: 1_005, code: 410, whole: true } }, ['R.stream']],
  ['a watch that is cut', { end: { at: 1_005, code: 403, whole: false } }, ['R.stream']],
  ['a refusal without rights', { status: 403, begun: 3_000, answered: 3_010 }, []],
  ['a refusal before they are taken', { status: 403 }, ['R.answer']],
  ['a refusal long after they are given back', { status: 403, begun: 6_100, answered: 6_110 }, ['R.answer']],
  ['another answer', { status: 500, begun: 3_000 }, ['R.answer']],
])('%s', (_what, record, rules) => {
  expect(checkRights('joe', CHANGES, [watch(record)], WITHIN_MS).map(({ rule }) => rule)).toEqual(rules);
});

test('rights that are never given back stay taken', () => {
  const late = watch({ events: [{ sent: 90_000, at: 90_001 }] });
  expect(checkRights('joe', CHANGES.slice(0, 1), [late], WITHIN_MS)).toHaveLength(1);
});
