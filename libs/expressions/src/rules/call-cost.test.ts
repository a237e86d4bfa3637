import { describe, expect, it } from 'vitest';
import { PER_CALL_LIMIT } from './compile.js';
import { PER_OBJECT_BUDGET, RuleValidator } from './validator.js';

/** Costs some five units for each pair of elements. */
const PAIRS = 'self.all(x, self.all(y, x + y >= 0))';
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

function judge(value: readonly number[], rules: readonly { rule: string; messageExpression?: string }[]) {
  const items = { type: 'integer' };
  const validator = new RuleValidator({ type: 'array', items, 'x-kubernetes-validations': [...rules] }, false);
  const { errors, cost, exhausted } = validator.validate([...value], undefined, 'a');
  return { errors: errors.map(({ message }) => message), cost, exhausted };
}

describe('a rule that costs more than one may', () => {
  it('ends all of them, though the object has more to spend', () => {
    expect(PER_CALL_LIMIT).toBeLessThan(PER_OBJECT_BUDGET / 2);
    const dear = numbers(600);
    const { errors, exhausted } = judge(dear, [{ rule: PAIRS }, { rule: 'false' }]);
    expect(errors).toEqual([
      expect.stringMatching(
        /^Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: /,
      ),
    ]);
    expect(exhausted).toBe(true);
  });

  it('does not where it costs less', () => {
    const cheap = judge(numbers(300), [{ rule: PAIRS }, { rule: 'false' }]);
    expect(cheap.errors).toHaveLength(1);
    expect(cheap.exhausted).toBe(false);
    expect(cheap.cost).toBeGreaterThan(PER_CALL_LIMIT / 4);
    expect(cheap.cost).toBeLessThan(PER_CALL_LIMIT);
  });

  it('is so for a message that is computed', () => {
    const messageExpression = `${PAIRS} ? 'a' : 'b'`;
    const { errors, exhausted } = judge(numbers(600), [{ rule: 'false', messageExpression }, { rule: 'false' }]);
    expect(errors).toEqual([
      expect.stringContaining(
        'no further validation rules will be run due to call cost exceeds limit for messageExpression',
      ),
    ]);
    expect(exhausted).toBe(true);
  });

  it('is told from many that cost too much together', () => {
    const many = Array.from({ length: 40 }, () => ({ rule: PAIRS }));
    const { errors, cost, exhausted } = judge(numbers(300), many);
    expect(errors).toEqual([expect.stringContaining('validation failed due to running out of cost budget')]);
    expect([cost <= PER_OBJECT_BUDGET, exhausted]).toEqual([true, true]);
  });
});
