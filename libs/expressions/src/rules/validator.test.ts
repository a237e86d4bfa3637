import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema-types/structural-schema.js';
import { RuleRun, RuleValidator } from './validator.js';

const told = (schema: StructuralSchema, value: unknown, budget?: number): string[] =>
  new RuleValidator(schema, false).validate(value, undefined, 'a', budget).errors.map(({ message }) => message);
const rules = (...texts: string[]) => ({ 'x-kubernetes-validations': texts.map((rule) => ({ rule })) });

describe('rules end before they take long for what costs little:', () => {
  it.each([
    ['many matches', "self.findAll('a?').size() > 0", 'a'.repeat(2_000_000)],
    ['long texts', `self.split('').all(x, self.replace('', '${'b'.repeat(100)}') != '')`, 'a'.repeat(3_000)],
    ['patterns of values', 'self.matches(self)', '(?i)[a-\\x{FFFF}]'.repeat(40)],
  ])('%s', (_, rule, value) => {
    expect(told({ type: 'string', ...rules(rule) }, value)).toEqual([
      expect.stringContaining(
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be run",
      ),
    ]);
  });

  it('a long text and a long pattern, which are not matched at all', () => {
    const pattern = '(a+)+'.repeat(2_000);
    expect(told({ type: 'string', ...rules(`self.matches('${pattern}')`) }, 'a'.repeat(2_000_000))).toEqual([
      expect.stringContaining('validation failed due to running out of cost budget'),
    ]);
  });
});

describe('a run', () => {
  const schema: StructuralSchema = { type: 'integer', ...rules('self < 5') };

  it('is shared by several values, and ends for all of them', () => {
    const validator = new RuleValidator(schema, false);
    const run = new RuleRun(5);
    for (const value of [1, 2, 3, 4]) for (const _ of validator.steps(run, value, undefined, `a[${value}]`));
    expect(run.exhausted).toBe(true);
    expect(run.errors.map(({ field }) => field)).toEqual(['a[3]']);
  });
});
