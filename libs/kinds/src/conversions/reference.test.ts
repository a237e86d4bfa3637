import { type ApiObject, copy, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { vectorsOf } from '../testing/vectors.js';
import { edited, without } from '../values/edited.js';
import { equal } from '../values/equal.js';
import { isObject } from '../values/fields.js';
import { conversionsOf } from './conversions.js';

/**
 * One manifest, and what the conversion functions of the reference's release 1.27.16 make of it, defaults filled in
 * (`tools/reference-conversions`).
 */
interface Vector {
  readonly name: string;
  readonly input: ApiObject;
  readonly to: string;
  readonly output: ApiObject;
}

const vectors = vectorsOf<Vector>('reference-conversions.jsonl', import.meta.url);

/** Where this does not do what the reference does, by the name of the vector: what it answers instead. */
const WELCOME: Readonly<Record<string, (output: ApiObject) => ApiObject>> = {
  'extensions DaemonSet, rolling': withoutAnnotations,
  'apps/v1beta2 DaemonSet': withoutAnnotations,
  // The reference forgets which container is meant.
  'HPA v2beta1': (output) =>
    edited(output, 'spec.metrics.*.containerResource', (source) => ({ ...source, container: 'c' })),
  // It writes a value of 0 beside the average that is aimed at.
  'HPA v2 to v2beta1': (output) => edited(output, 'spec.metrics.*.object', (source) => without(source, 'targetValue')),
};

/** The reference notes a generation of the template, 0, where none was said. */
function withoutAnnotations(output: ApiObject): ApiObject {
  return edited(output, 'metadata', (metadata) => without(metadata, 'annotations'));
}

const scheme = loadScheme(namesOf('kubernetes'));
const conversions = conversionsOf(scheme);

describe('manifests of old versions mean what they mean in the reference', () => {
  it.each(vectors)('$name > $to', ({ name, input, to, output }) => {
    const before = copy(input);
    const made = conversions.manifest(input, to);
    expect(input).toEqual(before);
    expect(made.apiVersion).toBe(to);
    // What both leave to the defaults of the version is not what is compared.
    const expected = input.status === undefined ? without(output, 'status') : output;
    expect(spoken(made, to)).toEqual(spoken(WELCOME[name]?.(expected) ?? expected, to));
  });
});

/** With the defaults of the hub filled in, and without what says nothing. */
function spoken(object: ApiObject, version: string): unknown {
  const hub = copy(conversions.between(version, hubOf(version, object.kind ?? ''), object.kind ?? '')(object));
  conversions.fill(hub);
  return meaning(hub);
}

const hubOf = (version: string, kind: string): string =>
  conversions.differing().find((each) => each.apiVersion === version && each.kind === kind)?.hub ?? version;

/** Structs that the reference writes out though nothing stands in them. */
const WRITTEN_OUT = new Set([
  'status',
  'resources',
  'strategy',
  'updateStrategy',
  'loadBalancer',
  'conditions',
  'metadata',
]);

function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning);
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const kept = meaning(member);
    const empty = WRITTEN_OUT.has(name) && isObject(kept) && Object.keys(kept).length === 0;
    return kept === null || kept === '' || equal(kept, []) || empty ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
