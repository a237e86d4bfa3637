import type { JsonObject, JsonValue } from '@orch/machinery';
import { expect, test, vi } from 'vitest';

// Steps of the usual size, whatever tests of other files have put in their place.
vi.doUnmock('../piece.js');
vi.resetModules();
const { PIECE } = await import('../piece.js');
const { areFew } = await import('./few.js');
const { FieldSet } = await import('../paths/field-set.js');

/** An object of many members, and how often its names were asked for: that takes as long as there are many. */
function counted(members: number, member: JsonValue) {
  const names = { asked: 0 };
  const object = Object.fromEntries(Array.from({ length: members }, (_, i) => [`f:${i}`, member]));
  const ownKeys = (target: JsonObject) => {
    names.asked++;
    return Reflect.ownKeys(target);
  };
  return { names, object: new Proxy<JsonObject>(object, { ownKeys }) };
}

/** Objects within each other, the outermost first. */
function within(innermost: JsonObject, depth: number): JsonObject[] {
  const levels = [innermost];
  for (let i = 0; i < depth; i++) levels.unshift({ 'f:z': levels[0] as JsonObject });
  return levels;
}

test.each([
  ['near', 20, {}],
  ['deep', 700, {}],
  ['deeper than is looked', PIECE - 10, {}],
  ['near, of large members', 20, { 'f:a': { 'f:b': {} } }],
  ['deep, of large members', 700, { 'f:a': { 'f:b': {} } }],
])('an object of very many members is not begun anew from each level above it: %s', (_, depth, member) => {
  for (const isMany of [(level: JsonObject) => !areFew(level), (level: JsonObject) => FieldSet.written(level).isMany]) {
    const { names, object } = counted(5_000, member);
    expect(within(object, depth).every(isMany)).toBe(true);
    expect(names.asked).toBe(1);
  }
});
