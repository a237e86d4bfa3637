import type { JsonObject, JsonValue } from '@orch/machinery';
import { StatusError, setMember } from '@orch/machinery';
import { haveVectors, sharedVectors as vectors } from '@orch/machinery/testing';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, applyMergePatch, strategicMergePatch } from '../index.js';
import { cloneJson, equalJson, isObject } from '../json-values.js';
import { managerOfVector, schemaOf, typesOf, type VectorKind } from '../testing/managed-kinds.js';
import { ApplyError, withoutIdleTimes } from './index.js';
import { fieldsV1Text, readFieldsV1 } from './paths/fields-v1.js';
import { misfitsOf } from './values/fit.js';
import { spelledOut } from './values/spelled-out.js';

interface Step {
  op: 'create' | 'update' | 'apply' | 'patch-merge' | 'patch-json' | 'patch-strategic';
  manager: string;
  input: JsonObject | JsonObject[];
  apiVersion?: string;
  subresource?: string;
  force?: boolean;
  live?: JsonObject;
  unchanged?: boolean;
  error?: { code?: number; reason?: string; class?: string; message: string; causes?: JsonObject[] };
  updateError?: string;
}

interface Vector {
  id: string;
  kind: string;
  type: 'builtin' | 'custom' | 'deduced';
  apiVersion: string;
  schemas?: Record<string, JsonObject>;
  resetFields?: Record<string, string[][]>;
  steps: Step[];
}

const all = vectors<Vector>('managedfields-vectors.jsonl');

/** The whole message; of what stands under a field that is not declared the reference tells one, and here are all. */
const reasonOf = ({ error }: Step): string =>
  error?.message.endsWith('not declared in schema')
    ? error.message.split(': ').slice(-2).join(': ')
    : (error?.message ?? '');

/** What the reference clears and the spec says does not: an explicit empty list. */
const isEmptyList = ({ input }: Step): boolean =>
  isObject(input) &&
  isObject(input.metadata) &&
  Array.isArray(input.metadata.managedFields) &&
  input.metadata.managedFields.length === 0;

function kindOf(vector: Vector, step: Step): VectorKind {
  const subresource = step.subresource ?? '';
  return {
    apiVersion: step.apiVersion ?? vector.apiVersion,
    kind: vector.kind,
    zeros: vector.type === 'builtin',
    deduced: vector.type === 'deduced',
    ...(vector.schemas && { schemas: vector.schemas }),
    ...(subresource !== '' && { subresource }),
    ...(vector.resetFields?.[subresource] && { resetFields: vector.resetFields[subresource] }),
  };
}

/** The object that a request makes of what is there, in the form of the server's own types. */
function changed(kind: VectorKind, step: Step, live: JsonObject | undefined): JsonObject {
  const base = live && { ...(cloneJson(live) as JsonObject), apiVersion: kind.apiVersion };
  const input = cloneJson(step.input);
  switch (step.op) {
    case 'patch-merge':
      return applyMergePatch(base ?? {}, input) as JsonObject;
    case 'patch-json':
      return applyJsonPatch(base ?? {}, input) as JsonObject;
    case 'patch-strategic':
      return strategicMergePatch(schemaOf(kind), base ?? {}, input as JsonObject);
    default:
      return input as JsonObject;
  }
}

/** Puts back what strategies do not let a request change. */
function withReset(kind: VectorKind, written: JsonObject, live: JsonObject | undefined): JsonObject {
  const result = cloneJson(written) as JsonObject;
  for (const path of kind.resetFields ?? []) putBack(result, live ?? {}, path);
  return result;
}

function putBack(into: JsonObject, from: JsonValue | undefined, [name = '', ...rest]: readonly string[]): void {
  const value = isObject(from) ? from[name] : undefined;
  if (rest.length > 0) {
    const inner = isObject(into[name]) ? into[name] : {};
    putBack(inner, value, rest);
    setMember<JsonValue | undefined>(into, name, inner);
  } else if (value === undefined) delete into[name];
  else setMember<JsonValue | undefined>(into, name, value);
}

function run(vector: Vector, step: Step, index: number, live: JsonObject | undefined): JsonObject {
  const kind = kindOf(vector, step);
  const manager = managerOfVector(kind);
  const options = {
    manager: step.manager,
    now: new Date(Date.UTC(2024, 0, 1, 0, 0, index)),
    force: step.force ?? false,
  };
  const before = live && { ...live, apiVersion: kind.apiVersion };
  const stored = typesOf(kind, kind.apiVersion)?.stored;
  if (!stored) throw new Error(`no types of ${kind.apiVersion}`);
  const spell = (object: JsonObject) => spelledOut(stored, object);
  const written =
    step.op === 'apply'
      ? manager.apply(before, step.input as JsonObject, options)
      : manager.update(before, spell(changed(kind, step, live)), options);
  const result = spell(withReset(kind, written, before));
  return before ? withoutIdleTimes(before, result) : result;
}

const steps = all.flatMap((vector) =>
  vector.steps.map((step, index) => ({ name: `${vector.id} ${index} ${step.op}`, vector, step, index })),
);

/** The object that a step begins with: what the last step that was not refused left. */
const liveBefore = ({ steps }: Vector, index: number): JsonObject | undefined =>
  steps.slice(0, index).findLast(({ live }) => live)?.live;

const entriesOf = (object: JsonObject): JsonObject[] =>
  ((object.metadata as JsonObject | undefined)?.managedFields as JsonObject[] | undefined) ?? [];

describe.skipIf(!haveVectors)('managed fields vectors', () => {
  it('has them all', () => {
    expect([all.length, steps.length]).toEqual([129, 669]);
  });

  it.each(steps.filter(({ step }) => step.live && !step.updateError && !isEmptyList(step)))(
    '$name',
    ({ vector, step, index }) => {
      const live = liveBefore(vector, index);
      const untouched = cloneJson(live ?? null);
      const result = run(vector, step, index, live);
      expect(result).toEqual(step.live);
      for (const { fieldsV1 } of entriesOf(result)) {
        expect(JSON.stringify(fieldsV1)).toBe(fieldsV1Text(readFieldsV1(structuredClone(fieldsV1))));
      }
      if (step.unchanged) expect(equalJson(result, live)).toBe(true);
      expect(live ?? null).toEqual(untouched);
    },
  );

  it.each(steps.filter(({ step }) => step.error))('$name: refused', ({ vector, step, index }) => {
    const apply = () => run(vector, step, index, liveBefore(vector, index));
    if (step.error?.code === undefined) {
      expect(apply).toThrow(ApplyError);
      expect(apply).toThrow(expect.objectContaining({ message: expect.stringContaining(reasonOf(step)) }));
      return;
    }
    try {
      apply();
    } catch (error) {
      const { code, reason, message, details } = StatusError.from(error).status;
      expect({ code, reason, message, ...(details?.causes && { causes: details.causes }) }).toEqual(step.error);
      return;
    }
    expect.unreachable('was not refused');
  });

  it.each(steps.filter(({ step }) => isEmptyList(step)))(
    '$name: an empty list clears nothing',
    ({ vector, step, index }) => {
      const live = liveBefore(vector, index);
      const kept = entriesOf(live ?? {}).map(({ manager }) => manager);
      expect(entriesOf(run(vector, step, index, live)).map(({ manager }) => manager)).toEqual(
        expect.arrayContaining(kept),
      );
    },
  );

  it.each(steps.filter(({ step }) => step.updateError))(
    '$name: what does not fit loses no entry',
    ({ vector, step, index }) => {
      const kind = kindOf(vector, step);
      const type = typesOf(kind, kind.apiVersion)?.configuration;
      const object = changed(kind, step, undefined);
      for (const { path, message } of misfitsOf(type ?? {}, object))
        expect(step.updateError).toContain(`${path}: ${message}`);
      const entries = entriesOf(run(vector, step, index, liveBefore(vector, index)));
      expect(entries.map(({ manager }) => manager)).toContain(step.manager);
    },
  );
});
