import { RuleRun } from '@orch/expressions';
import type { FieldError } from '@orch/machinery';
import { Effort, SchemaPool } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { vectorsOf } from '../testing/vectors.js';
import type { Json } from '../values/fields.js';
import { type Default, defaultsOf, faultsOf, unknownIn } from './default-validation.js';
import { schemaStrictness, validateSchema } from './schema-validation.js';
import { asEmbedded } from './schema-walk.js';

/** A schema at the path `s`, and what the release (`defaulting.ValidateDefaults`, 0.27.16) says of its defaults, sorted. */
interface Vector {
  readonly schema: Json;
  readonly refused: readonly string[];
}

const inDefaults = (schema: Json, path: string, judge: (each: Default) => FieldError[]): FieldError[] =>
  [...defaultsOf(asEmbedded(schema), path)].flatMap(judge);
const unknownInDefaults = (schema: Json, path: string) => inDefaults(schema, path, unknownIn);
const wrongDefaults = (schema: Json, path: string, effort: Effort) =>
  inDefaults(schema, path, (each) => faultsOf(each, { pool: new SchemaPool(), effort, rules: new RuleRun() }));

const vectors = vectorsOf<Vector>('reference-defaults.jsonl', import.meta.url);

describe('defaults as the release judges them by their schema', () => {
  it.each(vectors.map(({ schema, refused }) => [JSON.stringify(schema), schema, refused] as const))(
    '%s',
    (_, schema, refused) => {
      const errors = [...unknownInDefaults(schema, 's'), ...wrongDefaults(schema, 's', Effort.inAll())];
      expect(errors.map(({ field, reason, message }) => `${field} ${reason} ${message}`).sort()).toEqual(refused);
    },
  );
});

it('a default that would take too long to compare is refused', () => {
  const values = Array.from({ length: 20_000 }, (_, value) => value);
  const items = { type: 'integer', anyOf: values.map((value) => ({ enum: [-value - 1] })) };
  const schema = { type: 'object', properties: { x: { type: 'array', items, default: values } } };
  const [error, ...others] = wrongDefaults(schema, 's', Effort.inAll());
  expect(others).toEqual([]);
  expect(error).toMatchObject({ field: 's.properties[x].default' });
  expect(error?.message).toContain('takes more than 200000 comparisons');
});

describe('defaults that would take too long are refused, all of a definition together', () => {
  const count = (length: number) => Array.from({ length }, (_, at) => at);
  const listOf = (items: Json, value: unknown[]) => ({ type: 'array', items, default: value });
  const objects = (length: number, sign: number) => count(length).map((at) => ({ a: count(200), b: sign * (at + 1) }));

  it.each<[string, Json]>([
    [
      'many small ones',
      Object.fromEntries(
        count(100).map((at) => [
          `p${at}`,
          listOf({ type: 'integer', enum: count(600).map((value) => -value - 1) }, count(300)),
        ]),
      ),
    ],
    [
      'objects among objects',
      {
        x: listOf(
          { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, enum: objects(100, 1) },
          objects(200, -1),
        ),
      },
    ],
    [
      'small values among large ones',
      { x: listOf({ type: 'string', enum: ['a'.repeat(500_000)] }, count(1000).map(String)) },
    ],
    [
      'a long text with many lengths',
      {
        x: {
          type: 'string',
          anyOf: count(1000).map((at) => ({ minLength: 200_001 + at })),
          default: 'a'.repeat(200_000),
        },
      },
    ],
    [
      'many values below a long name',
      {
        x: {
          type: 'object',
          additionalProperties: { type: 'object', additionalProperties: { type: 'integer' } },
          default: { ['a'.repeat(100_000)]: Object.fromEntries(count(5000).map((at) => [`k${at}`, 'no'])) },
        },
      },
    ],
  ])('%s', (_, properties) => {
    const errors = wrongDefaults({ type: 'object', properties }, 's', Effort.inAll());
    expect(errors.some(({ message }) => message.includes('takes more than 200000 comparisons'))).toBe(true);
    expect(errors.length).toBeLessThan(2000);
  });
});

describe('very many defaults that are wrong', () => {
  const stepsOf = (properties: Json) => {
    const schema = { type: 'object', properties };
    return [...validateSchema(schema, 's', false, schemaStrictness([schema], [], false, false))];
  };
  const wrong = { type: 'string', default: 1 };
  const unknown = { type: 'object', default: { a: 1 } };

  it.each<[string, Json]>([
    ['of a wrong type', wrong],
    ['with unknown fields', unknown],
  ])('are found a few at a time: %s', (_, property) => {
    const steps = stepsOf(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, property])));
    expect(steps.flat()).toHaveLength(3000);
    expect(steps.length).toBeGreaterThan(15);
  });

  it('in one default are not all told', () => {
    const items = { type: 'string' };
    const errors = stepsOf({ x: { type: 'array', items, default: Array.from({ length: 10_000 }, () => 1) } }).flat();
    expect(errors.map(({ message }) => message)).toEqual([
      'Invalid value: "": takes more than 200000 comparisons with its schema',
    ]);
  });
});

describe('patterns of defaults', () => {
  it.each([
    ['counted', '(a{1000}){900}'],
    ['without regard to case', `(?i)${'[a-\\x{FFFF}]'.repeat(40)}`],
    ['of many classes', `[${'\\pL\\pN'.repeat(40)}]`],
    ['long', 'ab'.repeat(60_000)],
  ])('that would take too long to read are refused: %s', (_, pattern) => {
    const schema = { type: 'object', properties: { x: { type: 'string', pattern, default: 'a' } } };
    const [error, ...others] = wrongDefaults(schema, 's', Effort.inAll());
    expect(others).toEqual([]);
    expect(error?.message).toMatch(/takes more than \d+ steps to match/);
  });

  it('that would take too long in all are refused, whichever schema they stand in', () => {
    const schemas = Array.from({ length: 500 }, (_, at) => ({
      type: 'object',
      properties: { x: { type: 'string', pattern: `(a{100}){10}|${at}`, default: String(at) } },
    }));
    const effort = Effort.inAll();
    const refused = schemas.filter((schema) => wrongDefaults(schema, 's', effort).length > 0);
    expect(refused.length).toBeGreaterThan(400);
    expect(refused.length).toBeLessThan(500);
  });

  it('are matched in time that grows with the text', () => {
    const schema = {
      type: 'object',
      properties: { x: { type: 'string', pattern: '(a+)+$', default: `${'a'.repeat(50_000)}b` } },
    };
    expect(wrongDefaults(schema, 's', Effort.inAll())).toHaveLength(1);
  });
});
