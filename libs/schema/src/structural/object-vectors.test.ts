import { readFileSync } from 'node:fs';
import { copy } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import {
  atOnce,
  blocksRules,
  compileSchema,
  fillDefaults,
  MalformedObject,
  normalizeObject,
  type SchemaProps,
  validateObject,
} from './index.js';
import type { Json } from './json.js';

/** An object, its schema (or the vector that has the same), and what the release makes of it. */
interface Vector {
  readonly id: string;
  readonly schema?: SchemaProps;
  readonly schemaOf?: string;
  readonly object: Json;
  readonly old?: Json;
  /** What is left after pruning, and in `default/…` after defaulting. */
  readonly result?: Json;
  readonly unknownFields?: readonly string[];
  /** Why the object cannot be read. */
  readonly decodeError?: string;
  /** Reason, field, and the whole text. */
  readonly errors?: readonly (readonly [reason: string, field: string, text: string])[];
}

const lines = readFileSync(new URL('object-vectors.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
/** Integers beyond 2^53 are bigint, as the decoder makes them. */
const parsed = (line: string): Vector =>
  JSON.parse(line.replace(/(?<=[:[,])-?\d{17,19}(?=[,\]}])/g, '"bigint $&"'), (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith('bigint ') ? BigInt(value.slice(7)) : value,
  ) as Vector;
const vectors = lines.map(parsed);
const schemas = new Map(vectors.flatMap(({ id, schema }) => (schema ? [[id, schema]] : [])));
const schemaOf = ({ id, schemaOf: other }: Vector): SchemaProps => schemas.get(other ?? id) ?? {};
const cases = (of: RegExp) => vectors.filter(({ id }) => of.test(id)).map((vector) => [vector.id, vector] as const);

/** The reference writes an absent time of creation as null. */
function withoutTime(object: Json | undefined): Json | undefined {
  const metadata = object?.metadata as Json | undefined;
  if (metadata?.creationTimestamp === null) delete metadata.creationTimestamp;
  return object;
}

function refusalOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof MalformedObject) return error.message;
    throw error;
  }
}

describe('objects as the release prunes them and fills in their defaults', () => {
  it.each(cases(/^(prune|default)\//))('%s', (id, vector) => {
    const schema = compileSchema(schemaOf(vector));
    const object = copy(vector.object);
    let unknown: string[] = [];
    const refusal = refusalOf(() => {
      unknown = atOnce(normalizeObject(object, schema));
    });
    if (vector.decodeError !== undefined) {
      // What a time cannot be read by is told more closely there.
      expect(refusal).toBe(vector.decodeError.replace(/(cannot parse "yesterday") as "2006"$/, '$1'));
      return;
    }
    expect(refusal).toBeUndefined();
    if (id.startsWith('default/')) atOnce(fillDefaults(object, schema));
    expect(object).toEqual(withoutTime(copy(vector.result)));
    expect(unknown).toEqual(vector.unknownFields ?? []);
  });
});

const NOT_CHECKED = 'some validation rules were not checked because the object was invalid';

/** Whether an error is one of the schema: not of the object's own type and metadata, nor of rules in CEL. */
function isOfSchema([, field, text]: readonly [string, string, string], rules: ReadonlySet<string>): boolean {
  if (/^(metadata|apiVersion|kind)(\.|\[|$)/.test(field) || text.includes(NOT_CHECKED)) return false;
  return !text.includes(': failed rule: ') && ![...rules].some((message) => text.endsWith(`: ${message}`));
}

const messagesOf = (schema: SchemaProps): Set<string> =>
  new Set([...JSON.stringify(schema).matchAll(/"message":"([^"]*)"/g)].map(([, message = '']) => message));

describe('objects as the release judges them', () => {
  it.each(cases(/^(create|update)\//))('%s', (_id, vector) => {
    const props = schemaOf(vector);
    const schema = compileSchema(props);
    const prepare = (given: Json) => {
      const object = copy(given);
      atOnce(normalizeObject(object, schema));
      atOnce(fillDefaults(object, schema));
      return object;
    };
    if (vector.decodeError !== undefined) {
      expect(refusalOf(() => prepare(vector.object))).toBe(vector.decodeError);
      return;
    }
    const errors = atOnce(validateObject(prepare(vector.object), schema, vector.old && { old: prepare(vector.old) }));
    const found = errors.map(({ reason, field, message }) => [reason, field, `${field}: ${message}`]);
    const rules = messagesOf(props);
    const expected = (vector.errors ?? []).filter((error) => isOfSchema(error, rules));
    expect(found.map(String).sort()).toEqual(expected.map(String).sort());
    const unchecked = (vector.errors ?? []).some(([, , text]) => text.includes(NOT_CHECKED));
    if (unchecked) expect(blocksRules(errors)).toBe(true);
  });

  it('are many, refused and not', () => {
    expect(vectors).toHaveLength(250);
    expect(vectors.filter(({ errors }) => errors?.length === 0).length).toBeGreaterThan(50);
  });
});
