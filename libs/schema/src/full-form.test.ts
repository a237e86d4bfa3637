import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copy, type JsonObject, type JsonValue, namesOf, parseApiVersion } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { isAlwaysWritten } from './always-written.js';
import { fullObject } from './full-form.js';
import { type Gaps, gapsIn } from './full-text.js';
import type { Schema, StructSchema } from './model.js';
import { loadScheme } from './scheme.js';

const scheme = loadScheme(namesOf('kubernetes'));

function schemaOf(apiVersion: string, kind: string): StructSchema {
  const gv = parseApiVersion(apiVersion);
  const found = gv && scheme.kind(gv.group, gv.version, kind);
  if (!found) throw new Error(`no schema of ${apiVersion} ${kind}`);
  return found.schema;
}

function filled(text: string, { places, texts }: Gaps): string {
  let whole = '';
  let from = 0;
  const bytes = Buffer.from(text);
  places.forEach((place, at) => {
    whole += bytes.toString('utf8', from, place) + texts[at];
    from = place;
  });
  return whole + bytes.toString('utf8', from);
}

const inText = (schema: StructSchema, text: string): JsonObject =>
  JSON.parse(filled(text, gapsIn(schema, Buffer.from(text)))) as JsonObject;

describe('the full form', () => {
  const pod = schemaOf('v1', 'Pod');

  it('has what is always written, and shares the rest', () => {
    const container = { name: 'a', image: 'i' };
    const status = { containerStatuses: [{ name: 'a', state: { running: {} } }], conditions: [{ type: 'X' }] };
    const object = {
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [container], nodeSelector: { a: 'b' } },
    };
    const before = copy(object);
    const full = fullObject(pod, { ...object, status });
    expect(object).toEqual(before);
    expect(full).toEqual({
      kind: 'Pod',
      metadata: { name: 'p', creationTimestamp: null },
      spec: { containers: [{ ...container, resources: {} }], nodeSelector: { a: 'b' } },
      status: {
        containerStatuses: [
          {
            name: 'a',
            state: { running: { startedAt: null } },
            lastState: {},
            ready: false,
            restartCount: 0,
            image: '',
            imageID: '',
          },
        ],
        conditions: [{ type: 'X', status: '', lastProbeTime: null, lastTransitionTime: null }],
      },
    });
    expect(full.spec.nodeSelector).toBe(object.spec.nodeSelector);
    expect(fullObject(pod, full)).toBe(full);
    expect(
      fullObject(schemaOf('rbac.authorization.k8s.io/v1', 'Role'), { metadata: { creationTimestamp: 'x' } }),
    ).toEqual({
      metadata: { creationTimestamp: 'x' },
      rules: null,
    });
  });

  it.each([
    '{}',
    ' { "metadata" : {} , "spec" : { "containers" : [ { } , {"name":"a"} ] } } ',
    '{"metadata":{"annotations":{"a":"{\\"spec\\":{}}\\\\"}},"spec":{"containers":[{"name":"\\"]}","args":["}","\\\\"]}],"volumes":[{"projected":{"sources":[{}]}}]}}',
    '{"metadata":{},"spec":{"containers":[],"overhead":{"cpu":"1"},"unknown":[{"resources":1},2,"x"]},"status":{"phase":"ü"}}',
    '{"metadata":{},"status":{"startTime":null,"qosClass":true,"podIPs":[1,-2.5e3,null]}}',
  ])('is the same in a text as of its value: %s', (text) => {
    const { metadata: _, ...value } = fullObject(pod, JSON.parse(text) as JsonObject);
    const { metadata: __, ...found } = inText(pod, text);
    expect(found).toEqual(value);
  });

  it.each(['', '{', '{"spec":{"containers":[{', '{"spec":', '[', '{"spec":{"a"', '{"metadata":{}}}', 'null'])(
    'of what is no JSON is left to who reads it: %s',
    (text) => {
      expect(() => gapsIn(pod, Buffer.from(text))).not.toThrow();
    },
  );
});

/** An object without the members that are always written, where they say nothing. */
function bare(schema: Schema, value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return schema.kind === 'list' ? value.map((item) => bare(schema.items, item) ?? null) : value;
  if (schema.kind === 'map')
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, bare(schema.values, each)]));
  if (schema.kind !== 'struct' || schema.customJson) return value;
  const made: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const field = schema.fields.get(name);
    const shown = field ? bare(field.schema, member) : member;
    const isEmpty =
      typeof shown === 'object'
        ? shown === null || Object.keys(shown).length === 0
        : !shown || shown === '0' || shown === '0s';
    if (!field || !isAlwaysWritten(field) || field.pointer || !isEmpty) made[name] = shown;
  }
  return made;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const samples = join(process.env.ORCH_SHARED ?? join(root, '../shared'), 'facts/samples');
const files = existsSync(samples)
  ? readdirSync(samples).filter((file) => file.endsWith('.json') && !file.startsWith('watch'))
  : [];

describe.skipIf(files.length === 0)('objects of every kind, as release 1.27 writes them', () => {
  it.each(files)('%s', (file) => {
    const text = readFileSync(join(samples, file), 'utf8');
    const object = JSON.parse(text) as JsonObject;
    const schema = schemaOf(String(object.apiVersion), String(object.kind));
    expect(fullObject(schema, object)).toEqual(object);
    const without = bare(schema, object) as JsonObject;
    // Here null and an empty list are one.
    const empty = (value: unknown): string =>
      JSON.stringify(value, (_name, each) => (Array.isArray(each) && each.length === 0 ? null : each));
    expect(JSON.parse(empty(fullObject(schema, without)))).toEqual(JSON.parse(empty(object)));
    expect(inText(schema, JSON.stringify({ ...without, metadata: object.metadata }))).toEqual({
      ...fullObject(schema, without),
      metadata: object.metadata,
    });
  });
});
