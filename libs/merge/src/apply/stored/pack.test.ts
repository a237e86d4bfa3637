import { readFileSync } from 'node:fs';
import { namesOf } from '@orch/machinery';
import { loadScheme, type Schema } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAMES } from './names.js';
import { packOwners } from './pack.js';
import { packFields, packInSteps } from './pack-fields.js';
import { unpackOwners } from './unpack.js';

const word = fc.oneof(
  fc.constantFrom('f:spec', 'f:metadata', '.', 'f:labels', 'k:{"name":"a"}', 'v:"x"', 'f:é😀', 'f:"\\', 'f:}],"'),
  fc.string({ maxLength: 200 }),
);
const { fields } = fc.letrec((tie) => ({
  fields: fc.oneof(
    { maxDepth: 6 },
    fc.constant({}),
    fc.dictionary(word, tie('fields'), { maxKeys: 6, noNullPrototype: true }),
  ),
}));
const entry = fc
  .record({
    manager: fc.option(fc.string({ minLength: 1, maxLength: 300 }), { nil: undefined }),
    operation: fc.constantFrom('Apply', 'Update'),
    apiVersion: fc.constantFrom('v1', 'apps/v1'),
    time: fc.option(fc.date({ min: new Date(0), max: new Date('2106-01-01'), noInvalidDate: true }), {
      nil: undefined,
    }),
    fieldsV1: fields,
    subresource: fc.option(fc.constantFrom('status', 'scale'), { nil: undefined }),
  })
  .map(({ manager, operation, apiVersion, time, fieldsV1, subresource }) => ({
    ...(manager !== undefined && { manager }),
    operation,
    apiVersion,
    ...(time && { time: `${time.toISOString().slice(0, 19)}Z` }),
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource && { subresource }),
  }));

const PLAIN = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };

/** What servers of the form before have stored: the bytes, and the text that they stand for. */
const former = readFileSync(new URL('former-owners.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [, packed = '', owners = ''] = /^\{"packed":"([^"]*)","owners":(.*)\}$/.exec(line) ?? [];
    return { packed, owners };
  });

describe('packed owners', () => {
  it('are the very text again, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), (entries) => {
        const text = Buffer.from(JSON.stringify(entries));
        const packed = packOwners(text);
        expect(packed && unpackOwners(packed)).toEqual(text);
      }),
      { seed: 21, numRuns: 1_000 },
    );
  });

  it('write fields that stand below several items in the same way once', () => {
    const container = {
      '.': {},
      'f:name': {},
      'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
    };
    const containers = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`k:{"name":"c-${String(i).padStart(2, '0')}"}`, container]),
    );
    const text = Buffer.from(JSON.stringify([{ ...PLAIN, fieldsV1: { 'f:spec': { 'f:containers': containers } } }]));
    const packed = packOwners(text);
    expect(packed?.length).toBeLessThan(450);
    expect(packed && unpackOwners(packed)).toEqual(text);
  });

  it('of the form before are read for as long as rows hold them', () => {
    expect(former.length).toBeGreaterThan(30);
    for (const { packed, owners } of former) {
      const bytes = Buffer.from(packed, 'base64');
      expect(bytes[0]).toBe(1);
      expect(unpackOwners(bytes).toString()).toBe(owners);
    }
  });

  it('are written in the form that the release before reads', () => {
    const text = JSON.stringify([{ ...PLAIN, fieldsV1: { 'f:spec': { '.': {}, 'f:x-y': {} } } }]);
    const bytes = Buffer.from([2, 2, 1, 0x6d, 2, 0x76, 0x31, 15, 6, 1, 5, ...Buffer.from('f:x-y'), 0, 0]);
    expect(packOwners(Buffer.from(text))).toEqual(bytes);
  });

  it('are not made of texts that the server would write otherwise', () => {
    const fieldsV1 = { 'f:data': {} };
    const plain = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
    expect(packOwners(Buffer.from(JSON.stringify([plain])))).toBeDefined();
    const others = [
      '',
      '[]',
      '{}',
      JSON.stringify(plain),
      JSON.stringify([plain], null, 1),
      `${JSON.stringify([plain])} `,
      JSON.stringify([{ ...plain, more: 1 }]),
      JSON.stringify([{ ...plain, operation: 'Steal' }]),
      JSON.stringify([{ ...plain, time: '2024-01-01T00:00:00.5Z' }]),
      JSON.stringify([{ ...plain, time: '2024-02-31T00:00:00Z' }]),
      JSON.stringify([{ ...plain, fieldsV1: { 'f:a': 1 } }]),
      JSON.stringify([Object.fromEntries(Object.entries(plain).reverse())]),
      '[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{},}}]',
      '[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}"f:b":{}}}]',
      '[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}',
    ];
    for (const text of others) expect(packOwners(Buffer.from(text)), text).toBeUndefined();
  });

  it('of a writer whose fields begin like earlier ones are its own', () => {
    const written = (...names: string[]) => {
      const fields = Object.fromEntries(names.map((name) => [name, {}]));
      return Buffer.from(JSON.stringify([{ ...PLAIN, manager: 'alike', fieldsV1: { 'f:data': fields } }]));
    };
    const texts = [written('f:a'), written('f:a', 'f:b'), written('f:a', 'f:c'), written('f:a'), written()];
    for (const text of [...texts, ...texts])
      expect(unpackOwners(packOwners(text) ?? expect.unreachable())).toEqual(text);
  });

  it('that are damaged are an error, never another text', () => {
    const text = Buffer.from(
      JSON.stringify([
        { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:x-y': {} } } },
      ]),
    );
    const packed = packOwners(text) ?? expect.unreachable();
    for (let length = 0; length < packed.length; length++) {
      expect(() => unpackOwners(packed.subarray(0, length))).toThrow(RangeError);
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          unpackOwners(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { seed: 22, numRuns: 2_000 },
    );
  });

  /** Fields that came after release 1.27's, whose names a server that does not know them must be able to read: as texts. */
  const SPELLED = new Set(['optionalOldSelf', 'selectableFields']);

  it('take a byte or two for each field that built-in kinds have', () => {
    const known = new Set(NAMES);
    expect(known.size, 'no name twice').toBe(NAMES.length);
    const missing = new Set<string>();
    const seen = new Set<Schema>();
    const walk = (schema: Schema): void => {
      if (seen.has(schema)) return;
      seen.add(schema);
      if (schema.kind === 'list') walk(schema.items);
      else if (schema.kind === 'map') walk(schema.values);
      else if (schema.kind === 'struct')
        for (const field of schema.fields.values()) {
          if (!known.has(`f:${field.name}`) && !SPELLED.has(field.name)) missing.add(field.name);
          walk(field.schema);
        }
    };
    for (const { schema } of loadScheme(namesOf('orch')).resources) walk(schema);
    expect([...missing], 'to be added at the end of the names').toEqual([]);
    expect(NAMES.slice(0, 4), 'numbers that rows hold').toEqual(['.', 'f:metadata', 'f:labels', 'f:annotations']);
  });
});

it('a wide level is packed in steps, to what it is packed to at once', () => {
  const text = `{${Array.from({ length: 9_000 }, (_, at) => `"f:${at}":{}`).join()}}`;
  const steps = packInSteps(text);
  let taken = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) taken++;
  expect(taken).toBe(4);
  expect(step.value).toEqual(packFields(text));
});
