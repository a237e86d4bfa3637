import type { JsonValue } from '@orch/machinery';
import { describe, expect, test } from 'vitest';
import { ATOMIC_VALUE, type ListType, mapOf } from '../types/type.js';
import { itemElement } from './list-items.js';

const list = (...keys: readonly string[]): ListType => ({
  relation: 'map',
  items: { map: mapOf(ATOMIC_VALUE) },
  keys,
  kept: {},
});

/** Values of a key, some of which are written like the text by which another is kept. */
const VALUES = [80, -1, '', '80', 'a', '\u0000\u000080;', '\u0000\u0000-1;', '\u00000:', '\u00001:a', '\u0000'];

describe('an item is told by its own keys, whatever items there were before it', () => {
  test.each([
    ['one key', list('id'), VALUES.map((id) => ({ id }))],
    ['two keys', list('id', 'of'), VALUES.flatMap((id) => VALUES.map((of) => ({ id, of })))],
  ] as const)('of %s', (_, type, items) => {
    const backwards = list(...type.keys);
    const texts = (of: ListType, all: readonly JsonValue[]) => all.map((item) => itemElement(of, 0, item).text);
    const expected = items.map((item) => `k:${JSON.stringify(item)}`);
    expect(texts(type, items)).toEqual(expected);
    expect(texts(backwards, [...items].reverse()).reverse()).toEqual(expected);
  });
});
