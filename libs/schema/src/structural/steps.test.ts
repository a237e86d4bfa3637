import { describe, expect, it } from 'vitest';
import {
  compileSchema,
  fillDefaults,
  normalizeObject,
  type SchemaProps,
  type StructuralSchema,
  validateObject,
} from './index.js';
import { isContainer, type Json } from './json.js';
import type { Steps } from './steps.js';

/** Counts how often something is read of the objects and lists in a value, or changed in them. */
class Counted {
  count = 0;
  readonly #seen = new WeakMap<object, object>();

  of<T>(value: T): T {
    if (!isContainer(value)) return value;
    const known = this.#seen.get(value);
    if (known) return known as T;
    const made = new Proxy(value, {
      get: (target, name) => this.#after(this.of(Reflect.get(target, name) as unknown)),
      set: (target, name, member) => this.#after(Reflect.set(target, name, member)),
      deleteProperty: (target, name) => this.#after(Reflect.deleteProperty(target, name)),
      ownKeys: (target) => this.#after(Reflect.ownKeys(target)),
    });
    this.#seen.set(value, made);
    return made as T;
  }

  #after<T>(result: T): T {
    this.count++;
    return result;
  }
}

/** The most that is done in one step. */
function longestOf(steps: Steps<unknown>, counted: Counted): number {
  let [longest, before] = [0, counted.count];
  for (let done = false; !done; ) {
    done = steps.next().done === true;
    longest = Math.max(longest, counted.count - before);
    before = counted.count;
  }
  return longest;
}

const MANY = 30_000;
const specOf = (props: SchemaProps): StructuralSchema => compileSchema({ type: 'object', properties: { spec: props } });
const each = <T>(make: (at: number) => T): T[] => Array.from({ length: MANY }, (_, at) => make(at));

const item: SchemaProps = {
  type: 'object',
  properties: { name: { type: 'string' }, port: { type: 'integer', default: 80 }, none: { type: 'string' } },
};
const whole: SchemaProps = { type: 'object', 'x-kubernetes-embedded-resource': true };
const listOf = (items: SchemaProps, more: SchemaProps = {}): SchemaProps => ({ type: 'array', items, ...more });

const named = () => each((at) => ({ name: `n${at}`, none: null, other: at, another: at }));
const shapes: readonly (readonly [string, SchemaProps, () => unknown])[] = [
  ['a list of objects', listOf(item), named],
  [
    'a list of objects that differ by name',
    listOf(item, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    named,
  ],
  ['a set of texts', listOf({ type: 'string' }, { 'x-kubernetes-list-type': 'set' }), () => each((at) => `t${at}`)],
  [
    'a set of large objects',
    listOf({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, { 'x-kubernetes-list-type': 'set' }),
    () => [Object.fromEntries(each((at) => [`k${at}`, at])), Object.fromEntries(each((at) => [`k${at}`, -at]))],
  ],
  ['a map', { type: 'object', additionalProperties: item }, () => Object.fromEntries(Object.entries(named()))],
  [
    'a list of whole objects',
    listOf(whole),
    () => each((at) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `n${at}` } })),
  ],
];

const metadata = {
  name: 'a',
  labels: Object.fromEntries(each((at) => [`l${at}`, ''])),
  managedFields: each(() => ({ manager: 'm', operation: 'Update' })),
};

/** Reads and writes that are done in one step at most, and what is much more than that. */
const MOST = 150_000;
const VERY_MANY = 2 * MOST;

describe.each(shapes)('%s', (_, props, make) => {
  const object = (): Json => ({ apiVersion: 'a/v1', kind: 'A', metadata, spec: make() });

  it('is made normal, filled in and judged in steps', () => {
    const schema = specOf(props);
    const counted = new Counted();
    const [given, old] = [counted.of(object()), counted.of(object())];
    const longest = [
      longestOf(normalizeObject(given, schema), counted),
      longestOf(fillDefaults(given, schema), counted),
      longestOf(validateObject(given, schema, old && { old }), counted),
    ];
    expect(Math.max(...longest)).toBeLessThan(MOST);
    expect(counted.count).toBeGreaterThan(VERY_MANY);
  });
});
