import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { atOnce, compileSchema } from './index.js';
import { SchemaPool } from './schema-pool.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** What was collected is told of in a task of its own. */
const task = () => new Promise<void>((resolve) => setImmediate(resolve));

const text = (more: object = {}) => ({ type: 'string', ...more });
const whole = (properties: Record<string, object>) => ({ type: 'object', properties });

describe('schemas that are read', () => {
  it('say what concerns objects, and nothing else', () => {
    const rule = { rule: 'self > 0', message: '', reason: 'FieldValueInvalid', note: 'why' };
    const schema = {
      ...whole({ a: text({ description: 'A', title: '', default: '', maxLength: 0, nullable: false }), b: {} }),
      description: 'all',
      additionalProperties: false,
      required: [],
      items: null,
      not: whole({}),
      anyOf: [text({ format: '' }), { minimum: 0, default: false }],
      'x-kubernetes-validations': [rule],
    };
    expect(new SchemaPool().of(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string', default: '', maxLength: 0 }, b: {} },
      additionalProperties: false,
      not: { type: 'object' },
      anyOf: [{ type: 'string' }, { minimum: 0, default: false }],
      'x-kubernetes-validations': [{ rule: 'self > 0', reason: 'FieldValueInvalid' }],
    });
  });

  it('are one where they are equal, within a definition and among several', () => {
    const pool = new SchemaPool();
    const first = pool.of(whole({ a: text({ description: 'A' }), b: text(), c: whole({ d: text() }) }));
    expect(first.properties?.a).toBe(first.properties?.b);
    expect(pool.of(whole({ a: text(), b: text(), c: whole({ d: text({ title: 'D' }) }) }))).toBe(first);
    expect(pool.size).toBe(3);
  });

  it.each<[string, object, object]>([
    ['defaults', { default: { a: 1 } }, { default: { a: '1' } }],
    ['defaults that look like schemas', { default: 0 }, { items: {} }],
    ['integers beyond 2^53', { default: [null, 9007199254740993n] }, { default: [9007199254740993n, null] }],
    ['names', whole({ a: text() }), whole({ b: text() })],
    ['places', { allOf: [text()] }, { anyOf: [text()] }],
    ['values and elements', { items: text() }, { additionalProperties: text() }],
  ])('stay apart where they are not: %s', (_, a, b) => {
    const pool = new SchemaPool();
    pool.of(text());
    expect(pool.of({ ...a })).not.toBe(pool.of({ ...b }));
  });

  it('are not compared where they have very many members', () => {
    const pool = new SchemaPool();
    const wide = () => whole(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, text()])));
    expect(pool.of(wide())).not.toBe(pool.of(wide()));
    expect(pool.of(wide())).toEqual(wide());
    expect(pool.of(whole({}))).toBe(pool.of(whole({})));
  });

  it('end with the last definition that holds them, and what was made of them too', async () => {
    const pool = new SchemaPool();
    const kept = whole({ a: text({ maxLength: 1 }) });
    const first = compileSchema(pool.of(kept));
    const compiled = (() => {
      const lost = whole({ a: text({ maxLength: 1 }), b: text({ maxLength: 2 }) });
      return new WeakRef(compileSchema(pool.of(lost)));
    })();
    expect(pool.size).toBe(4);
    for (let round = 0; round < 20 && pool.size > 2; round++) {
      await task();
      collect();
    }
    expect(compiled.deref()).toBeUndefined();
    expect(pool.size).toBe(2);
    expect(compileSchema(pool.of(whole({ a: text({ maxLength: 1, title: 'A' }) })))).toBe(first);
  });

  it('may be read in steps', () => {
    const pool = new SchemaPool();
    const schema = whole(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, text()])));
    expect([...pool.steps(schema)].length).toBeGreaterThan(9);
    expect(atOnce(pool.steps(schema))).toBe(pool.of(schema));
  });
});

it('schemas that are equal are compiled once, whatever stands in their way', () => {
  const pool = new SchemaPool();
  const [a, b] = [whole({ spec: whole({ a: text() }) }), whole({ other: whole({ a: text({ title: 'A' }) }) })].map(
    (schema) => compileSchema(pool.of(schema)),
  );
  expect(a?.property('spec')).toBeDefined();
  expect(a?.property('spec')).toBe(b?.property('other'));
});
