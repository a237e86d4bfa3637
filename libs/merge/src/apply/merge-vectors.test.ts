import { type JsonObject, StatusError } from '@orch/machinery';
import { haveVectors, sharedVectors as vectors } from '@orch/machinery/testing';
import { describe, expect, it } from 'vitest';
import { cloneJson } from '../json-values.js';
import { managerOfVector, type VectorKind } from '../testing/managed-kinds.js';
import { ApplyError } from './index.js';
import { managedFieldsOf, withManagedFields } from './managed/metadata.js';

interface Vector {
  id: string;
  op: 'apply' | 'update';
  mode: 'builtin' | 'crd' | 'deduced';
  manager: string;
  live: JsonObject;
  input: JsonObject;
  force?: boolean;
  subresource?: string;
  resetFields?: string[];
  schema?: JsonObject;
  output?: JsonObject;
  liveNoTime?: string[];
  outputNoTime?: string[];
  conflicts?: { field: string; message: string; type: string }[];
  error?: { class: string; code?: number; reason?: string };
}

const all = vectors<Vector>('smd-vectors.jsonl');
const NOW = new Date('2024-01-01T00:00:00Z');
const TIME = '2024-01-01T00:00:00Z';

function kindOf({ input, mode, schema, subresource, resetFields }: Vector): VectorKind {
  const apiVersion = String(input.apiVersion);
  return {
    apiVersion,
    kind: String(input.kind),
    zeros: false,
    deduced: mode === 'deduced',
    ...(schema && { schemas: { [apiVersion.slice(apiVersion.indexOf('/') + 1)]: schema } }),
    ...(subresource !== undefined && { subresource }),
    // They are those of the object itself.
    ...(resetFields && subresource === undefined && { resetFields: resetFields.map((name) => [name]) }),
  };
}

const entriesOf = (object: JsonObject): JsonObject[] => (managedFieldsOf(object) ?? []) as JsonObject[];

/** The object with the times that the vectors leave out: all of one second, and none where nothing was changed. */
function withTimes(object: JsonObject, without: readonly string[] = []): JsonObject {
  const timed = entriesOf(object).map(({ manager, operation, apiVersion, ...rest }) => ({
    manager,
    operation,
    apiVersion,
    ...(!without.includes(String(manager)) && { time: TIME }),
    ...rest,
  }));
  return timed.length === 0 ? object : withManagedFields(object, timed as JsonObject[]);
}

function run(vector: Vector): JsonObject {
  const { op, live, input, force = false, liveNoTime } = vector;
  const manager = managerOfVector(kindOf(vector));
  const options = { manager: vector.manager, now: NOW, force };
  const before = withTimes(cloneJson(live) as JsonObject, liveNoTime);
  const given = cloneJson(input) as JsonObject;
  return op === 'apply' ? manager.apply(before, given, options) : manager.update(before, given, options);
}

const CLASSES: Record<string, string> = {
  'duplicate-key': 'duplicate-key',
  'unknown-field': 'unknown-field',
  'type-mismatch': 'type-mismatch',
  'missing-list-key': 'missing-key',
};

describe.skipIf(!haveVectors)('apply and update vectors', () => {
  it('has them all', () => {
    expect(all.length).toBe(169);
  });

  it.each(all.filter(({ output }) => output))('$id', (vector) => {
    const expected = withTimes(vector.output ?? {}, vector.outputNoTime);
    expect(run(vector)).toEqual(expected);
  });

  it.each(all.filter(({ conflicts }) => conflicts))('$id: conflicts', (vector) => {
    try {
      run(vector);
    } catch (error) {
      const { status } = StatusError.from(error);
      expect([status.code, status.reason]).toEqual([409, 'Conflict']);
      expect(status.details?.causes).toEqual(
        vector.conflicts?.map(({ field, message, type }) => ({ reason: type, message, field })),
      );
      return;
    }
    expect.unreachable('was not refused');
  });

  it.each(all.filter(({ error }) => error))('$id: refused', (vector) => {
    try {
      run(vector);
    } catch (error) {
      if (error instanceof ApplyError) {
        expect(error.misfits.map(({ reason }) => reason)).toContain(CLASSES[vector.error?.class ?? '']);
      } else expect(StatusError.from(error).code).toBe(vector.error?.code);
      return;
    }
    expect.unreachable('was not refused');
  });
});
