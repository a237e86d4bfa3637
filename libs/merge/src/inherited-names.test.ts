import type { JsonObject, JsonValue } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch } from './json-patch.js';
import { cloneJson, equalJson, withoutNulls } from './json-values.js';
import { applyMergePatch } from './merge-patch.js';

/** Names of what every JavaScript object inherits; `__proto__` is made by JSON alone. */
const NAMES = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];
const json = (text: string): JsonObject => JSON.parse(text) as JsonObject;

describe.each(NAMES)('a member called %s', (name) => {
  const empty = (): JsonObject => json('{"a":1}');
  const with_ = (value: JsonValue): JsonObject => json(`{"a":1,${JSON.stringify(name)}:${JSON.stringify(value)}}`);

  it('is there where it was sent', () => {
    for (const copied of [cloneJson(with_({ x: 1 })), withoutNulls(with_({ x: 1 }))])
      expect(JSON.stringify(copied)).toBe(JSON.stringify(with_({ x: 1 })));
  });

  it('is not the same as none', () => {
    expect(equalJson(with_({}), json('{"a":1,"other":{}}'))).toBe(false);
    expect(equalJson(json('{"a":1,"other":{}}'), with_({}))).toBe(false);
    expect(equalJson(with_(1), with_(1))).toBe(true);
  });

  it('is not found where it is only inherited', () => {
    const path = `/${name}`;
    expect(() => applyJsonPatch(empty(), [{ op: 'remove', path }])).toThrow('missing value');
    expect(() => applyJsonPatch(empty(), [{ op: 'add', path: `${path}/x`, value: 1 }])).toThrow('missing value');
    expect(() => applyJsonPatch(empty(), [{ op: 'test', path: `${path}/x`, value: 1 }])).toThrow('missing value');
    expect(applyJsonPatch(empty(), [{ op: 'test', path, value: null }])).toEqual({ a: 1 });
  });

  it('is written as one of the object alone', () => {
    const added = applyJsonPatch(empty(), [{ op: 'add', path: `/${name}`, value: 'x' }]);
    const merged = applyMergePatch(empty(), with_('x'));
    for (const written of [added, merged]) expect(JSON.stringify(written)).toBe(JSON.stringify(with_('x')));
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

it('an object that lacks a member is another one than one that inherits its value', () => {
  const inherited = json('{"constructor":null}');
  // As many members on both sides, of which one is known to all objects.
  expect(equalJson(json('{"other":null}'), inherited)).toBe(false);
  expect(equalJson(inherited, json('{"other":null}'))).toBe(false);
});
