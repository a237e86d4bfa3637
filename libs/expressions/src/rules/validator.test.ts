import { describe, expect, it } from 'vitest';
import { BASE_ENVIRONMENT, LATER_ENVIRONMENT } from '../environment.js';
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

describe('programs', () => {
  /** A schema with a rule, and how often the text of that was read. */
  function counted() {
    let reads = 0;
    const rule = {
      get rule(): string {
        reads++;
        return 'self < 5';
      },
    };
    const schema: StructuralSchema = { type: 'integer', 'x-kubernetes-validations': [rule] };
    return { schema, reads: () => reads };
  }

  it('are compiled when a value is first judged, once for all that have the same schema, wherever it stands', () => {
    const { schema, reads } = counted();
    const validators = ['a', 'b'].map((name) => new RuleValidator({ type: 'object', properties: { [name]: schema } }));
    expect(reads()).toBe(0);
    expect(validators[0]?.validate({ a: 1 }, undefined).errors).toEqual([]);
    const once = reads();
    expect(once).toBeGreaterThan(0);
    expect(validators[1]?.validate({ b: 1 }, undefined).errors).toEqual([]);
    expect(reads()).toBe(once);
    expect(validators[1]?.validate({ b: 7 }, undefined).errors).toHaveLength(1);
  });

  it('are compiled apart for other environments', () => {
    const { schema, reads } = counted();
    for (const environment of [BASE_ENVIRONMENT, LATER_ENVIRONMENT]) {
      const before = reads();
      expect(new RuleValidator(schema, false, environment).validate(1, undefined).errors).toEqual([]);
      expect(reads()).toBeGreaterThan(before);
    }
  });
});
