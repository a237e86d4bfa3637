import type { JsonObject } from '@orch/machinery';
import { describe, expect, it, test } from 'vitest';
import { withLastApplied } from './apply/managed/last-applied.js';
import { PatchTooLargeError, UnprocessablePatchError } from './errors.js';
import { applyJsonPatch } from './json-patch.js';

const MIB = 1024 * 1024;

describe('what a JSON patch may ask for where nobody says anything else', () => {
  /** Copies a text of so many bytes, quotes among them, so many times. */
  const copied = (bytes: number, times: number) => {
    const copies = Array.from({ length: times }, (_, at) => ({ op: 'copy', from: '/a', path: `/b${at}` }));
    return () => applyJsonPatch({ a: 'x'.repeat(bytes - 2) }, copies);
  };

  it('is 3 MiB of copies', () => {
    expect(copied(MIB, 3)).not.toThrow();
    expect(copied(MIB + 1, 3)).toThrow(UnprocessablePatchError);
    expect(copied(MIB, 4)).toThrow(
      `Unable to complete the copy, the accumulated size increase of copy is ${4 * MIB}, exceeding the limit ${3 * MIB}`,
    );
  });

  it('is 10,000 operations', () => {
    const tests = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(() => applyJsonPatch({ a: 1 }, tests(10_000))).not.toThrow();
    expect(() => applyJsonPatch({ a: 1 }, tests(10_001))).toThrow(PatchTooLargeError);
  });

  it('is 20 million items of lists that are moved', () => {
    const inserted = (items: number, times: number) => {
      const first = Array.from({ length: times }, () => ({ op: 'add', path: '/0', value: 1 }));
      return () => applyJsonPatch(new Array<number>(items).fill(0), first);
    };
    expect(inserted(199_000, 100)).not.toThrow();
    expect(inserted(200_000, 101)).toThrow('its operations move more than 20000000 items of lists');
  });
});

const KEY = 'kubectl.kubernetes.io/last-applied-configuration';
const LIMIT = 256 * 1024;

test.each([
  ['kept where all annotations together fit into 256 KiB', 0, true],
  ['left out where they do not', 1, false],
])('what kubectl applied is %s', (_, beyond, kept) => {
  const said: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const objectWith = (other: string): JsonObject => ({ ...said, metadata: { annotations: { [KEY]: '{}', other } } });
  const annotationsOf = (object: JsonObject) => (object.metadata as JsonObject).annotations as JsonObject;
  const text = String(annotationsOf(withLastApplied(objectWith(''), said))[KEY]);
  expect(text).toBe('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}\n');
  // Bytes are counted, of names too: each of these characters is two.
  const left = LIMIT - KEY.length - text.length - 'other'.length;
  const other = 'ü'.repeat(Math.floor(left / 2)) + 'x'.repeat(left % 2) + 'x'.repeat(beyond);
  const annotations = annotationsOf(withLastApplied(objectWith(other), said));
  expect(annotations[KEY]).toBe(kept ? text : undefined);
  expect(annotations.other).toBe(other);
});
