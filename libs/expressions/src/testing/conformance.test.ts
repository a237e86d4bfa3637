import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conformanceCases, judge } from './conformance.js';

/** Identifiers of the cases that are left out, by why they are. */
const exceptions = JSON.parse(readFileSync(new URL('conformance-exceptions.json', import.meta.url), 'utf8')) as Record<
  string,
  string[]
>;
const cases = conformanceCases();
const reasons = new Map(Object.entries(exceptions).flatMap(([reason, ids]) => ids.map((id) => [id, reason] as const)));

describe('the public conformance suite', () => {
  const applicable = cases.filter(({ id }) => !reasons.has(id));
  it.each(applicable.map((example) => [example.id, example] as const))('%s', (_, example) => {
    expect(judge(example)).toBe('passed');
  });

  it('leaves out only cases that there are, and that do not pass', () => {
    const passing = cases.filter((example) => reasons.has(example.id) && judge(example) === 'passed');
    expect(passing.map(({ id }) => id)).toEqual([]);
    const known = new Set(cases.map(({ id }) => id));
    expect([...reasons.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  it('applies with more than a thousand cases', () => {
    expect(cases).toHaveLength(2344);
    expect(applicable.length).toBeGreaterThan(1200);
  });
});
