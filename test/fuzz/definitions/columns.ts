import type { JsonObject } from '@orch/machinery';
import fc from 'fast-check';
import { times } from './sizes.js';

const union = (part: string) =>
  times.map(
    (count) =>
      `[${Array(count + 1)
        .fill(part)
        .join()}]`,
  );

const step = fc.oneof(
  fc.constantFrom('.items', '.map', '.text', '.items[*]', '.items[0:]', '.*', '..', '..a', '["a"]', '[-1:]', '[*]'),
  fc.constantFrom('[?(@)]', '[?(@.a)]', '[?(@.a > "x")]', '[?(@.a == @.b)]', '[?(@.a[*] < 3)]'),
  union("'a'"),
  union('*'),
);
const path = fc
  .tuple(fc.constantFrom('.spec', '.spec.items', '.spec.map', '.metadata'), fc.array(step, { maxLength: 8 }), times)
  .map(([head, steps, again]) => (head + steps.join('').repeat(1 + (again % 50))).slice(0, 60_000));

/** Columns of a definition, as many as it may have, of paths that branch, filter and go over everything. */
export const columns: fc.Arbitrary<JsonObject[]> = fc
  .tuple(fc.array(path, { minLength: 1, maxLength: 5 }), times)
  .map(([paths, count]) =>
    Array.from({ length: Math.min(2_000, count + 1) }, (_, at) => ({
      name: `c${at}`,
      type: 'string',
      jsonPath: paths[at % paths.length] ?? '.spec',
    })),
  );
