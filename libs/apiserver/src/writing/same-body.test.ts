import { expect, it } from 'vitest';
import { sameBody } from './same-body.js';

it.each([
  ['{"a":1}', '{"a":1}', true],
  ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
  ['{"a":1}', '{"a":2}', false],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['{"a":[1,2]}', '{"a":[2,1]}', false],
  ['{"a":9223372036854775807}', '{"a":9223372036854775806}', false],
  ['{"a":"1"}', '{"a":1.0}', false],
])('%s and %s say the same: %s', (a, b, same) => {
  expect(sameBody(Buffer.from(a), Buffer.from(b))).toBe(same);
});
