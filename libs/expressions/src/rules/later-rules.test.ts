import { describe, expect, it } from 'vitest';
import { LATER_ENVIRONMENT } from '../environment.js';
import type { SchemaProps, ValidationRule } from '../schema-types/structural-schema.js';
import { ruleErrors } from './definition.js';
import { FieldPathError, fieldAt } from './field-path.js';
import { RuleValidator } from './validator.js';

const object = (properties: Record<string, SchemaProps>, ...rules: ValidationRule[]): SchemaProps => ({
  type: 'object',
  properties,
  'x-kubernetes-validations': rules,
});
const TEXT: SchemaProps = { type: 'string', maxLength: 100 };
const INTEGER: SchemaProps = { type: 'integer' };

const broken = (schema: SchemaProps, value: unknown, old?: unknown) =>
  new RuleValidator(schema, false, LATER_ENVIRONMENT).validate(value, old, 'spec').errors;

describe('paths of fields', () => {
  const schema: SchemaProps = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { color: TEXT, 'a.b': TEXT } },
      labels: { type: 'object', additionalProperties: { type: 'object', properties: { x: TEXT } } },
      list: { type: 'array', items: TEXT },
    },
  };

  it.each([
    ['.spec.color', 'spec.color'],
    [".spec['a.b']", 'spec.a.b'],
    [".labels['it\\'s'].x", "labels[it's].x"],
    ['.labels.app', 'labels[app]'],
  ])('lead to fields: %s', (path, text) => {
    expect(fieldAt(path, schema).text).toBe(text);
  });

  it.each([
    ['spec', 'expected [ or . but got: spec'],
    ['.nope', 'does not refer to a valid field'],
    ['.spec.color.x', 'does not refer to a valid field'],
    ['.list[0]', 'expected single quoted string but got 0'],
    ['.', 'unexpected end of JSON path'],
    [".spec['color'", 'unexpected end of JSON path'],
    [".spec['col\\or']", 'invalid string literal: invalid escape char \\o'],
  ])('lead nowhere: %s', (path, message) => {
    expect(() => fieldAt(path, schema)).toThrow(new FieldPathError(message));
  });

  it('may be asked to name all members behind dots', () => {
    expect(() => fieldAt(".spec['color']", schema, false)).toThrow('array notation is not allowed');
  });
});

describe('what a rule says of itself', () => {
  const rule = { rule: 'self.a > 0', message: 'too small' };
  const told = (more: Partial<ValidationRule>) => broken(object({ a: INTEGER }, { ...rule, ...more }), { a: 0 });

  it.each<[Partial<ValidationRule>, object]>([
    [{}, { field: 'spec', reason: 'FieldValueInvalid', message: 'Invalid value: "object": too small' }],
    [
      { reason: 'FieldValueForbidden' },
      { field: 'spec', reason: 'FieldValueForbidden', message: 'Forbidden: too small' },
    ],
    [
      { reason: 'FieldValueRequired', fieldPath: '.a' },
      { field: 'spec.a', reason: 'FieldValueRequired', message: 'Required value: too small' },
    ],
    [
      { reason: 'FieldValueDuplicate' },
      { field: 'spec', reason: 'FieldValueDuplicate', message: 'Duplicate value: "object"' },
    ],
  ])('is told: %j', (more, error) => {
    expect(told(more)).toEqual([error]);
  });

  it('is not told of rules that cannot be run', () => {
    const fails = object({ a: INTEGER }, { rule: 'self.a / 0 > 0', reason: 'FieldValueForbidden', fieldPath: '.a' });
    expect(broken(fails, { a: 1 })).toMatchObject([{ field: 'spec', reason: 'FieldValueInvalid' }]);
  });
});

describe('a value before that may be absent', () => {
  const schema = object(
    { a: INTEGER },
    {
      rule: 'self.a >= oldSelf.?a.orValue(10)',
      optionalOldSelf: true,
      messageExpression: "'was ' + string(oldSelf.?a.orValue(10))",
    },
  );

  it('is asked of on creation and in updates', () => {
    expect(broken(schema, { a: 9 })).toMatchObject([{ message: 'Invalid value: "object": was 10' }]);
    expect(broken(schema, { a: 10 })).toEqual([]);
    expect(broken(schema, { a: 9 }, { a: 9 })).toEqual([]);
    expect(broken(schema, { a: 8 }, { a: 9 })).toHaveLength(1);
  });

  it('is a mistake where no rule names it', () => {
    const useless = object({ a: INTEGER }, { rule: 'self.a > 0', optionalOldSelf: true });
    expect([...ruleErrors(useless, 's', { environmentOf: () => LATER_ENVIRONMENT })].flat()).toEqual([
      {
        field: 's.x-kubernetes-validations[0].optionalOldSelf',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: true: may not be set if oldSelf is not used in rule',
      },
    ]);
  });
});

describe('later functions end before they take long for what costs little:', () => {
  const list = { type: 'array', items: { type: 'integer' } } as const;
  it.each([
    ['texts of lists', "self.all(x, '%s'.format([self]) != '')"],
    ['optionals that are looked through', 'self.all(x, self.map(y, optional.of(y)).unwrapOpt().size() > 0)'],
    ['macros within macros', `optional.of(1)${'.optMap(x, x + 1)'.repeat(24)}.hasValue()`],
  ])('%s', (_, rule) => {
    const before = performance.now();
    broken({ ...list, 'x-kubernetes-validations': [{ rule }] }, Array(20_000).fill(1));
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});
