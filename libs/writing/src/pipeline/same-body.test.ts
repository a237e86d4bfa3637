import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sameBody } from './same-body.js';

it.each([
  ['{"a":1}', '{"a":1}', true],
  ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
  ['{"a":1,"ab":2}', '{"ab":2,"a":1}', true],
  ['{"a\\"":1,"a":2}', '{"a":2,"a\\"":1}', true],
  ['{"\\\\":[{"y":1,"x":2}],"\\"":2}', '{"\\"":2,"\\\\":[{"x":2,"y":1}]}', true],
  ['{"a":1}', '{"a":2}', false],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['{"a":[1,2]}', '{"a":[2,1]}', false],
  ['{"a":"x:","b":1}', '{"a":"y:","b":1}', false],
  ['{"a":9223372036854775807}', '{"a":9223372036854775806}', false],
  ['{"a":"1"}', '{"a":1.0}', false],
])('%s and %s say the same: %s', (a, b, same) => {
  expect(sameBody(Buffer.from(a), Buffer.from(b))).toBe(same);
});

/** The same value with the members of all its objects the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
}

it('knows every object again in another order (property)', () => {
  const name = fc.stringMatching(/^[ab:"\\]{0,3}$/).filter((text) => text !== '__proto__');
  const leaf = fc.constantFrom('', 'a', 'b":', '\\', 1, 12, true, null);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, leaf, fc.dictionary(name, tie('tree')), fc.array(tie('tree'), { maxLength: 3 })),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const [a, b] = [value, turned(value)].map((each) => Buffer.from(JSON.stringify(each)));
      expect(sameBody(a as Buffer, b as Buffer)).toBe(true);
    }),
    { seed: 20261122, numRuns: 2000 },
  );
});
