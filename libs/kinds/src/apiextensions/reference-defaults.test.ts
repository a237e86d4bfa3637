import { describe, expect, it } from 'vitest';
import { vectorsOf } from '../testing/vectors.js';
import type { Json } from '../values/fields.js';
import { unknownInDefaults, wrongDefaults } from './default-validation.js';
import { Expressions, weightOf } from './expressions.js';

/** A schema at the path `s`, and what the release (`defaulting.ValidateDefaults`, 0.27.16) says of its defaults, sorted. */
interface Vector {
  readonly schema: Json;
  readonly refused: readonly string[];
}

const vectors = vectorsOf<Vector>('reference-defaults.jsonl', import.meta.url);

describe('defaults as the release judges them by their schema', () => {
  it.each(vectors.map(({ schema, refused }) => [JSON.stringify(schema), schema, refused] as const))(
    '%s',
    (_, schema, refused) => {
      const errors = [...unknownInDefaults(schema, 's'), ...wrongDefaults(schema, 's', new Expressions())];
      expect(errors.map(({ field, reason, message }) => `${field} ${reason} ${message}`).sort()).toEqual(refused);
    },
  );
});

it('a default that would take too long to compare is refused', () => {
  const values = Array.from({ length: 20_000 }, (_, value) => value);
  const items = { type: 'integer', anyOf: values.map((value) => ({ enum: [-value - 1] })) };
  const schema = { type: 'object', properties: { x: { type: 'array', items, default: values } } };
  const [error, ...others] = wrongDefaults(schema, 's', new Expressions());
  expect(others).toEqual([]);
  expect(error).toMatchObject({ field: 's.properties[x].default' });
  expect(error?.message).toContain('takes more than 200000 comparisons');
});

describe('patterns of defaults', () => {
  it.each([
    ['^[a-z]{1,63}$', 66],
    ['(a{100}){10}', 1021],
    ['((((a?){10}){10}){10})', 4223],
    ['[]a{9}]\\{9\\}', 5],
    ['a{,9}', 6],
  ])('%s has about as many steps as it has when it is written out: %i', (pattern, weight) => {
    expect(weightOf(pattern)).toBe(weight);
  });

  it.each([
    ['counted', '(a{1000}){900}'],
    ['without regard to case', `(?i)${'[a-\\x{FFFF}]'.repeat(40)}`],
    ['of many classes', `[${'\\pL\\pN'.repeat(40)}]`],
    ['long', 'ab'.repeat(60_000)],
  ])('that would take too long to read are refused: %s', (_, pattern) => {
    const schema = { type: 'object', properties: { x: { type: 'string', pattern, default: 'a' } } };
    const [error, ...others] = wrongDefaults(schema, 's', new Expressions());
    expect(others).toEqual([]);
    expect(error?.message).toContain('takes more than 100000 steps to match');
  });

  it('that would take too long in all are refused, whichever schema they stand in', () => {
    const schemas = Array.from({ length: 500 }, (_, at) => ({
      type: 'object',
      properties: { x: { type: 'string', pattern: `(a{100}){10}|${at}`, default: String(at) } },
    }));
    const expressions = new Expressions();
    const refused = schemas.filter((schema) => wrongDefaults(schema, 's', expressions).length > 0);
    expect(refused.length).toBeGreaterThan(400);
    expect(refused.length).toBeLessThan(500);
  });

  it('are matched in time that grows with the text', () => {
    const schema = {
      type: 'object',
      properties: { x: { type: 'string', pattern: '(a+)+$', default: `${'a'.repeat(50_000)}b` } },
    };
    expect(wrongDefaults(schema, 's', new Expressions())).toHaveLength(1);
  });
});
