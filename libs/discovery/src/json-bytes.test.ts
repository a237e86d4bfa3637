import { createHash } from 'node:crypto';
import { stringifyJson } from '@orch/codec';
import type { JsonObject } from '@orch/machinery';
import { atOnce } from '@orch/schema';
import { expect, it } from 'vitest';
import { jsonBytes } from './json-bytes.js';

const DOCUMENT: JsonObject = {
  swagger: '2.0',
  absent: undefined as never,
  empty: {},
  list: [{ a: 1 }, []],
  paths: { '/a"b': { get: { big: 2n ** 60n, deep: { deeper: { deepest: null } } } }, '/é': {} },
};

it('writes the text that is written at once, and its digest', () => {
  const { bytes, hash } = atOnce(jsonBytes(DOCUMENT));
  expect(bytes.toString()).toBe(stringifyJson(DOCUMENT));
  expect(hash).toBe(createHash('sha512').update(bytes).digest('hex').toUpperCase());
});

it('gives others a turn after each piece of a long document', () => {
  const models = Array.from({ length: 50 }, (_, i) => [`m${i}`, { text: 'x'.repeat(70 << 10) }]);
  const steps = jsonBytes({ definitions: Object.fromEntries(models) });
  let turns = 0;
  while (!steps.next().done) turns++;
  // Those of its digest come on top.
  expect(turns).toBeGreaterThan(50);
});
