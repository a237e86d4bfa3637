import { type JsonObject, namesOf, parseApiVersion } from '@orch/machinery';
import { loadScheme, type StructSchema } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatchError } from '../errors.js';
import { haveVectors, vectors } from '../testing/vectors.js';
import { strategicMergePatch } from './strategic-merge-patch.js';

interface Vector {
  id: string;
  op: 'patch' | 'twoway' | 'threeway';
  apiVersion: string;
  kind: string;
  original: JsonObject;
  current?: JsonObject;
  /** Patch to be applied; for `twoway` and `threeway`, `result` is the patch that a client made. */
  patch?: JsonObject;
  result?: JsonObject;
  applied?: JsonObject;
  error?: string;
}

const scheme = loadScheme(namesOf('kubernetes'));

function schemaOf(apiVersion: string, kind: string): StructSchema {
  const gv = parseApiVersion(apiVersion);
  const found = gv && scheme.kind(gv.group, gv.version, kind);
  if (!found) throw new Error(`no schema of ${apiVersion} ${kind}`);
  return found.schema;
}

const all = vectors<Vector>('strategicmerge-vectors.jsonl');
const MALFORMED = ['bad-directive', 'order-mismatch'];

describe.skipIf(!haveVectors)('strategic merge vectors', () => {
  it.each(all.filter(({ op }) => op === 'patch'))(
    '$id',
    ({ apiVersion, kind, original, patch = {}, result, error }) => {
      const schema = schemaOf(apiVersion, kind);
      const before = structuredClone(patch);
      const apply = () => strategicMergePatch(schema, structuredClone(original), patch);
      if (error === undefined) expect(apply()).toEqual(result);
      else {
        const name = MALFORMED.includes(error) ? 'MalformedPatchError' : 'UnprocessablePatchError';
        expect(apply).toThrow(expect.objectContaining({ name, reason: error }));
      }
      expect(patch).toEqual(before);
    },
  );

  it.each(all.filter(({ applied }) => applied))('$id: the patch of a client', (vector) => {
    const { apiVersion, kind, original, current, result = {}, applied } = vector;
    const schema = schemaOf(apiVersion, kind);
    expect(strategicMergePatch(schema, current ?? original, result)).toEqual(applied);
  });
});

const pod = schemaOf('v1', 'Pod');

describe('strategic merge patch', () => {
  it('tells apart integers beyond 2^53 in lists', () => {
    const original = { metadata: { finalizers: [] }, spec: { securityContext: { supplementalGroups: [1] } } };
    const patch = { spec: { securityContext: { supplementalGroups: [9007199254740993n, 9007199254740992n] } } };
    expect(strategicMergePatch(pod, original, patch).spec).toEqual(patch.spec);
  });

  it('refuses lists that mix objects with scalars', () => {
    const run = () =>
      strategicMergePatch(pod, { spec: { containers: [{ name: 'a' }] } }, { spec: { containers: ['b'] } });
    expect(run).toThrow(expect.objectContaining({ reason: 'mixed-list' }));
  });

  it('merges untyped data as a merge patch does', () => {
    const crd = schemaOf('apps/v1', 'ControllerRevision');
    const original = { data: { a: { x: 1 }, l: [1] } };
    expect(strategicMergePatch(crd, original, { data: { a: { y: 2 }, l: [2] } })).toEqual({
      data: { a: { x: 1, y: 2 }, l: [2] },
    });
  });

  it('shares nothing with the patch', () => {
    const patch = { spec: { containers: [{ name: 'a', args: ['x'] }] } };
    const result = strategicMergePatch(pod, { spec: { containers: [] } }, patch) as typeof patch;
    result.spec.containers[0]?.args.push('y');
    expect(patch.spec.containers[0]?.args).toEqual(['x']);
  });

  const names = fc.constantFrom('a', 'b', 'c', 'd');
  const containers = fc.uniqueArray(
    fc.record({ name: names, image: fc.constantFrom('1', '2') }, { requiredKeys: ['name'] }),
    { selector: ({ name }) => name },
  );

  it('is idempotent where the patch has no list order of its own to impose (property)', () => {
    fc.assert(
      fc.property(containers, containers, (live, changed) => {
        const patch = { spec: { containers: changed } };
        const once = structuredClone(strategicMergePatch(pod, { spec: { containers: live } }, patch));
        expect(strategicMergePatch(pod, structuredClone(once), patch)).toEqual(once);
      }),
      { seed: 20260105, numRuns: 500 },
    );
  });

  it('holds every container of both sides once, those of the patch in its order (property)', () => {
    fc.assert(
      fc.property(containers, containers, (live, changed) => {
        const result = strategicMergePatch(pod, { spec: { containers: live } }, { spec: { containers: changed } });
        const merged = (result.spec as { containers: { name: string }[] }).containers.map(({ name }) => name);
        const wanted = new Set([...live, ...changed].map(({ name }) => name));
        expect([...merged].sort()).toEqual([...wanted].sort());
        const ofPatch: string[] = changed.map(({ name }) => name);
        expect(merged.filter((name) => ofPatch.includes(name))).toEqual(ofPatch);
      }),
      { seed: 20260106, numRuns: 500 },
    );
  });

  it('answers any patch with a result or a typed error, and does not change the patch (property)', () => {
    const directive = fc.constantFrom('replace', 'delete', 'merge', 'x', 5);
    const item = fc.record({ name: names, $patch: directive, image: fc.constant('1') }, { requiredKeys: [] });
    const list = fc.array(fc.oneof({ weight: 5, arbitrary: item }, fc.constantFrom('s', null, 1)));
    const spec = fc.record(
      {
        containers: list,
        '$setElementOrder/containers': list,
        $retainKeys: fc.array(fc.constantFrom('containers', 'x')),
        $patch: directive,
      },
      { requiredKeys: [] },
    );
    const patches = fc.record(
      { spec, metadata: fc.record({ '$deleteFromPrimitiveList/finalizers': fc.array(names) }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(containers, patches, (live, patch) => {
        const original = { metadata: { finalizers: ['a', 'b'] }, spec: { containers: live } };
        const before = structuredClone(patch);
        try {
          strategicMergePatch(pod, original, patch as JsonObject);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
        expect(patch).toEqual(before);
      }),
      { seed: 20260107, numRuns: 1000 },
    );
  });
});
