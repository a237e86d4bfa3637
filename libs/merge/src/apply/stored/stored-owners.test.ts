import type { JsonObject } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { readOwners, storedOwners } from './stored-owners.js';

const ENTRY = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
const parse = (json: Buffer) => JSON.parse(json.toString()) as JsonObject;
const textOf = (fieldsV1: JsonObject) => Buffer.from(JSON.stringify([{ ...ENTRY, fieldsV1 }]));

const textOfOwners = (entries: readonly JsonObject[]): string => {
  const owners = storedOwners(entries, JSON.stringify);
  const out = Buffer.alloc(owners.length);
  owners.writeTo(out, 0);
  return out.toString();
};

describe('owners read from their text', () => {
  it('have fields that nobody can change, as they are those of all objects of the shape', () => {
    const text = textOf({ 'f:spec': { '.': {}, 'f:replicas': {} } });
    const [entry] = readOwners(text, parse) ?? [];
    const { 'f:spec': spec } = (entry ?? expect.unreachable()).fieldsV1 as { 'f:spec': JsonObject };
    expect(() => Object.assign(spec, { 'f:more': {} })).toThrow(TypeError);
    expect(() => Object.assign(spec['f:replicas'] as JsonObject, { 'f:more': {} })).toThrow(TypeError);
    expect(textOfOwners(readOwners(text, parse) ?? [])).toBe(text.toString());
  });

  it('are entries of their own', () => {
    const text = textOf({ 'f:data': {} });
    const [[one], [other]] = [readOwners(text, parse) ?? [], readOwners(text, parse) ?? []];
    expect(one?.fieldsV1).toBe(other?.fieldsV1);
    Object.assign(one ?? {}, { manager: 'n', fieldsV1: { 'f:more': {} } });
    expect(other).toMatchObject({ manager: 'm', fieldsV1: { 'f:data': {} } });
    expect(textOfOwners([one ?? {}])).toContain('"f:more"');
  });
});
