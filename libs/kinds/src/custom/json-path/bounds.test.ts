import type { JsonValue } from '@orch/machinery';
import { describe, expect, it, test } from 'vitest';
import { findAll, parseJsonPath } from './index.js';

const find = (path: string, value: JsonValue) => findAll(value, parseJsonPath(path));
const list = (length: number) => Array.from({ length }, () => 1);

describe('a path that passes over more than 20,000 values finds nothing', () => {
  it('of a list', () => {
    // One for the step to the list, its elements, and one for the next step.
    expect(find('.a[*]', { a: list(19_000) })).toHaveLength(19_000);
    expect(find('.a[*]', { a: list(20_000) })).toEqual([]);
  });

  it.each([
    ['of what lies below, however deep', '..x', { a: [list(10_000), list(10_001)] }],
    ['of unions of unions', `${"['a','a']".repeat(15)}`, nested(15)],
    ['of a slice', '.a[0:][*]', { a: [...Array(9_000)].map(() => [1, 1]) }],
  ])('%s', (_, path, value) => {
    expect(find(path, value as JsonValue)).toEqual([]);
  });

  it('and what passes over fewer finds all', () => {
    expect(find("['a','a']['a','a']", nested(2))).toEqual([1, 1, 1, 1]);
    expect(find('..x', { a: [{ x: 1 }, [{ x: 2 }]] })).toEqual([1, 2]);
  });
});

/** Objects in `a` of each other, so many levels deep. */
function nested(levels: number): JsonValue {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

test.each(['constructor', 'toString', '__proto__'])('a path finds no member %s that an object inherits', (name) => {
  expect(find(`.a.${name}`, { a: {} })).toEqual([]);
  expect(find(`.a.${name}`, JSON.parse(`{"a":{${JSON.stringify(name)}:"own"}}`))).toEqual(['own']);
});
