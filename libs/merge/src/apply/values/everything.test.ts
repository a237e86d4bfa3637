import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../json-values.js';
import { pathText } from '../paths/field-set.js';
import { DEDUCED } from '../types/type.js';
import { everythingBelow } from './everything.js';

/** Paths of all members, those inside of lists left out: they are owned as wholes. */
const membersOf = (object: JsonObject): string[] =>
  Object.entries(object).flatMap(([name, member]) => [
    `.${name}`,
    ...(isObject(member) ? membersOf(member).map((path) => `.${name}${path}`) : []),
  ]);

const found = (value: JsonValue): string[] =>
  [...(everythingBelow(DEDUCED, value)?.paths() ?? [])].map(pathText).sort();

describe('everything below a value', () => {
  it('that holds one of its own shape is the same each time', () => {
    const nested = { a: { a: { a: 1 } } };
    const whole = ['.a', '.a.a', '.a.a.a'];
    expect([found(nested), found(nested), found(nested)]).toEqual([whole, whole, whole]);
  });

  it('is all of its members, whatever came before (property)', () => {
    const { tree } = fc.letrec<{ tree: JsonObject; value: JsonValue }>((tie) => ({
      tree: fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { maxKeys: 2 }) as fc.Arbitrary<JsonObject>,
      value: fc.oneof({ depthSize: 'large' }, fc.constant(1), tie('tree')),
    }));
    fc.assert(
      fc.property(fc.array(tree, { minLength: 2, maxLength: 6 }), (objects) => {
        for (const object of objects) expect(found(object)).toEqual(membersOf(object).sort());
      }),
      { seed: 20261122, numRuns: 500 },
    );
  });
});
