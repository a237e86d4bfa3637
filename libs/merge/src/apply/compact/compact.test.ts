import { type JsonObject, type JsonValue, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ManagedVector, managedVectors, typesOf } from '../../testing/managed-kinds.js';
import { specs, thing, thingTypes, writes, written } from '../../testing/things.js';
import { haveVectors } from '../../testing/vectors.js';
import { CompactFieldsError, compactFields, customType, expandFields, expandFieldsText } from '../index.js';
import { managedFieldsOf, withManagedFields } from '../managed/metadata.js';
import type { Type } from '../types/type.js';

const { stored } = thingTypes;
const entriesOf = (object: JsonObject) => managedFieldsOf(object) as JsonObject[] | undefined;
const fresh = <T extends JsonValue>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Stores an object, reads it again, and looks at what came of its entries. */
function roundTrip(type: Type, object: JsonObject): boolean {
  const entries = entriesOf(object);
  const compact = compactFields(type, object, entries);
  if (compact === undefined) return false;
  const body = fresh(withManagedFields(object, undefined));
  const text = JSON.stringify(entries);
  expect(JSON.stringify(expandFields(type, body, fresh(compact as JsonValue)))).toBe(text);
  expect(expandFieldsText(type, body, fresh(compact as JsonValue))).toBe(text);
  return true;
}

describe('the compact form', () => {
  it('expands to the very text that it was made of (property)', () => {
    fc.assert(
      fc.property(writes, (all) => {
        roundTrip(stored, written(all));
      }),
      { seed: 20260901, numRuns: 500 },
    );
  });

  it('is refused for another object or another type, and never expands to other fields (property)', () => {
    const other = customType(
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      loadScheme(namesOf('kubernetes')).struct('meta/v1.ObjectMeta'),
    );
    fc.assert(
      fc.property(writes, specs, (all, spec) => {
        const object = written(all);
        const compact = compactFields(stored, object, entriesOf(object)) as JsonValue | undefined;
        if (compact === undefined) return;
        const text = JSON.stringify(entriesOf(object));
        for (const [type, body] of [
          [stored, thing(spec)],
          [other, object],
        ] as const) {
          try {
            expect(JSON.stringify(expandFields(type, body, compact))).toBe(text);
          } catch (error) {
            expect(error).toBeInstanceOf(CompactFieldsError);
          }
        }
      }),
      { seed: 20260902, numRuns: 300 },
    );
  });

  it('gives a typed error for damaged forms (property)', () => {
    const object = written([{ op: 'update', manager: 'one', spec: { size: 1, set: ['a', 'b'], labels: { a: 'b' } } }]);
    const compact = compactFields(stored, object, entriesOf(object)) as JsonValue[];
    const [form, fingerprint, entry] = compact as [JsonValue, JsonValue, JsonValue[]];
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('AAAAAAAAAAAA', '99999999.AA', '____'),
    ) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(fc.nat(9), odd, (place, value) => {
        const parts = [form, fingerprint, ...entry];
        parts[place % parts.length] = value;
        const damaged: JsonValue = [parts[0] ?? null, parts[1] ?? null, parts.slice(2)];
        try {
          expect(expandFields(stored, object, damaged)).toHaveLength(1);
        } catch (error) {
          expect(error).toBeInstanceOf(CompactFieldsError);
        }
      }),
      { seed: 20260903, numRuns: 2000 },
    );
    for (const broken of [null, {}, [], [2, fingerprint], [form, fingerprint, 5]] as JsonValue[]) {
      expect(() => expandFields(stored, object, broken)).toThrow(CompactFieldsError);
    }
  });

  it('leaves entries as they are that own what is not there, or are not written as the server writes', () => {
    const object = thing({ size: 1, labels: { a: 'b', c: 'd' }, set: ['a'] });
    const entry = (fieldsV1: JsonObject): JsonObject => ({
      manager: 'm',
      operation: 'Update',
      apiVersion: 'example.com/v1',
      fieldsType: 'FieldsV1',
      fieldsV1,
    });
    const plain = entry({ 'f:spec': { 'f:labels': { '.': {}, 'f:a': {}, 'f:c': {} }, 'f:size': {} } });
    const odd = [
      entry({ 'f:spec': { 'f:gone': {} } }),
      entry({ 'f:spec': { 'f:size': {}, 'f:labels': {} } }),
      entry({ 'f:spec': { 'f:labels': { 'f:a': {}, '.': {} } } }),
      entry({ 'f:spec': { 'f:labels': { '.': {} } } }),
      entry({ 'f:spec': { 'f:size': { x: null } } }),
      entry({ 'f:spec': null }),
      { ...plain, more: 1 },
      { fieldsV1: plain.fieldsV1 as JsonObject, ...plain, manager: '' },
    ];
    for (const one of odd) {
      expect(compactFields(stored, object, [one])).toBeUndefined();
      const withEntries = withManagedFields(object, [plain, one]);
      expect(roundTrip(stored, withEntries)).toBe(true);
    }
  });

  it.skipIf(!haveVectors)('expands the entries of every object of the vectors', () => {
    let made = 0;
    for (const vector of managedVectors()) for (const object of objectsOf(vector)) if (object()) made++;
    expect(made).toBeGreaterThan(450);
  });
});

const objectsOf = (vector: ManagedVector) =>
  vector.objects.flatMap((object) => {
    const type = typesOf(vector.kind, String(object.apiVersion))?.stored;
    return type ? [() => roundTrip(type, inServerOrder(object))] : [];
  });

/** Vectors have the members of an entry sorted by name. */
function inServerOrder(object: JsonObject): JsonObject {
  const entries = (entriesOf(object) ?? []).map(
    ({ manager, operation, apiVersion, time, fieldsType, fieldsV1, subresource }) => ({
      manager,
      operation,
      apiVersion,
      ...(time !== undefined && { time }),
      fieldsType,
      fieldsV1,
      ...(subresource !== undefined && { subresource }),
    }),
  );
  return withManagedFields(object, entries as JsonObject[]);
}
