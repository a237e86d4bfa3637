import { describe, expect, it } from 'vitest';
import { vectorsOf } from '../testing/vectors.js';
import type { Json } from '../values/fields.js';
import { unknownInDefaults, wrongDefaults } from './default-validation.js';

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
      const errors = [...unknownInDefaults(schema, 's'), ...wrongDefaults(schema, 's')];
      expect(errors.map(({ field, reason, message }) => `${field} ${reason} ${message}`).sort()).toEqual(refused);
    },
  );
});

it('a default that would take too long to compare is refused', () => {
  const values = Array.from({ length: 20_000 }, (_, value) => value);
  const items = { type: 'integer', anyOf: values.map((value) => ({ enum: [-value - 1] })) };
  const schema = { type: 'object', properties: { x: { type: 'array', items, default: values } } };
  const [error, ...others] = wrongDefaults(schema, 's');
  expect(others).toEqual([]);
  expect(error).toMatchObject({ field: 's.properties[x].default' });
  expect(error?.message).toContain('takes more than 200000 comparisons');
});
