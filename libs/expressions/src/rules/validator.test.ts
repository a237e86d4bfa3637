import { describe, expect, it } from 'vitest';
import { BASE_ENVIRONMENT, LATER_ENVIRONMENT } from '../environment.js';
import type { SchemaProps } from '../schema-types/structural-schema.js';
import { RuleRun, RuleValidator } from './validator.js';

const told = (schema: SchemaProps, value: unknown, budget?: number): string[] =>
  new RuleValidator(schema, false).validate(value, undefined, 'a', budget).errors.map(({ message }) => message);
const rules = (...texts: string[]) => ({ 'x-kubernetes-validations': texts.map((rule) => ({ rule })) });

describe('rules end before they take long for what costs little:', () => {
  it.each([
    ['many matches', "self.findAll('a?').size() > 0", 'a'.repeat(2_000_000)],
    ['long texts', `self.split('').all(x, self.replace('', '${'b'.repeat(100)}') != '')`, 'a'.repeat(3_000)],
  ])('%s', (_, rule, value) => {
    expect(told({ type: 'string', ...rules(rule) }, value)).toEqual([
      expect.stringContaining(
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be run",
      ),
    ]);
  });

  it('patterns of values', () => {
    for (const value of ['(?i)[a-\\x{FFFF}]'.repeat(40), '('.repeat(2_000_000)]) {
      expect(told({ type: 'string', ...rules('self.matches(self)') }, value)).toEqual([
        expect.stringMatching(/takes more than 20000 steps to match|cost limit exceeded/),
      ]);
    }
  });

  it('a long text and a long pattern, which are not matched at all', () => {
    const pattern = '(a+)+'.repeat(700);
    expect(told({ type: 'string', ...rules(`self.matches('${pattern}')`) }, 'a'.repeat(2_000_000))).toEqual([
      expect.stringContaining('validation failed due to running out of cost budget'),
    ]);
  });
});

it('integers of more than 64 bits are none', () => {
  for (const type of [{ type: 'integer' }, { 'x-kubernetes-int-or-string': true }]) {
    const messages = told({ ...type, ...rules('self == self') }, 2n ** 63n);
    expect(messages).toEqual([expect.stringContaining('invalid data, expected')]);
    expect(told({ ...type, ...rules('self == self') }, 2n ** 63n - 1n)).toEqual([]);
  }
});

describe('a run', () => {
  const schema: SchemaProps = { type: 'integer', ...rules('self < 5') };

  it('is shared by several values, and ends for all of them', () => {
    const validator = new RuleValidator(schema, false);
    const run = new RuleRun(5);
    for (const value of [1, 2, 3, 4]) for (const _ of validator.steps(run, value, undefined, `a[${value}]`));
    expect(run.exhausted).toBe(true);
    expect(run.errors.map(({ field }) => field)).toEqual(['a[3]']);
  });
});

describe('rules that cost nothing', () => {
  const items = (count: number) => Array.from({ length: count }, (_, i) => i);
  const listOf = (...texts: string[]): SchemaProps => ({
    type: 'array',
    items: { type: 'integer', ...rules(...texts) },
  });

  /** CPU time of the longest step but for the first, in which rules are compiled, and the run itself. */
  function stepsOf(schema: SchemaProps, value: unknown) {
    const run = new RuleRun();
    let [count, longestMs] = [0, 0];
    let before = process.cpuUsage();
    for (const _ of new RuleValidator(schema, false).steps(run, value, undefined)) {
      const { user, system } = process.cpuUsage(before);
      if (count++ > 0) longestMs = Math.max(longestMs, (user + system) / 1_000);
      before = process.cpuUsage();
    }
    return { run, count, longestMs };
  }

  it('end their steps all the same', () => {
    const { run, count, longestMs } = stepsOf(listOf(...Array(20).fill('true')), items(20_000));
    expect(run.errors).toEqual([]);
    expect(count).toBeGreaterThan(50);
    expect(longestMs).toBeLessThan(50);
  });

  it('end their steps by the clock where that is sooner', () => {
    const run = new RuleRun();
    expect(run.isStepOver).toBe(false);
    const begin = performance.now();
    while (performance.now() - begin < 6);
    expect(run.isStepOver).toBe(true);
    for (const _ of run.pause());
    expect(run.isStepOver).toBe(false);
  });

  it('run as often as the dearest that an object may have, and no more', () => {
    const { run } = stepsOf(listOf(...Array(1_000).fill('true')), items(20_000));
    expect(run.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('validation failed due to running out of cost budget'),
    ]);
  });

  it('tell of no more errors than anybody reads, and end then', () => {
    const { run } = stepsOf(listOf(...Array(1_000).fill('false')), items(45_000));
    expect(run.exhausted).toBe(true);
    expect(run.errors).toHaveLength(1_001);
    expect(run.errors.at(-1)?.message).toContain('more is wrong than can be told');
  });

  it('tell of fewer errors where they are long', () => {
    const { run } = stepsOf(
      {
        type: 'array',
        items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'false', message: 'x'.repeat(100_000) }] },
      },
      items(1_000),
    );
    expect(run.exhausted).toBe(true);
    expect(run.errors.length).toBeLessThan(20);
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
    const schema: SchemaProps = { type: 'integer', 'x-kubernetes-validations': [rule] };
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
