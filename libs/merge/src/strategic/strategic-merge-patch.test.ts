import { type JsonObject, namesOf, parseApiVersion } from '@orch/machinery';
import { haveVectors, sharedVectors as vectors } from '@orch/machinery/testing';
import { loadScheme, type StructSchema } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatchError } from '../errors.js';
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

  const of = (container: JsonObject) => ({ spec: { containers: [{ name: 'c', ...container }] } });

  // As kube-apiserver 1.27.16 answers them, where `resources: {}` stands in every container.
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['empties', {}, { resources: { limits: { cpu: '2' }, $patch: 'delete' } }, { resources: {} }],
    [
      'replaces',
      {},
      { resources: { limits: { cpu: '2' }, $patch: 'replace' } },
      { resources: { limits: { cpu: '2' } } },
    ],
    [
      'keeps of',
      {},
      { resources: { limits: { cpu: '2' }, $retainKeys: ['limits'] } },
      { resources: { limits: { cpu: '2' } } },
    ],
    [
      'empties, beside what a pointer may lack of',
      { resources: { limits: { cpu: '1' } } },
      { resources: { $patch: 'delete' }, lifecycle: { $patch: 'delete', preStop: {} } },
      { resources: {}, lifecycle: { $patch: 'delete', preStop: {} } },
    ],
  ])('%s a struct that an object leaves out and release 1.27 always writes', (_, live, patch, result) => {
    expect(strategicMergePatch(pod, of(live), of(patch))).toEqual(of(result));
  });

  it('refuses a directive that is none, also where the object leaves the struct out', () => {
    const run = () => strategicMergePatch(pod, of({}), of({ resources: { $patch: 'merge' } }));
    expect(run).toThrow(expect.objectContaining({ reason: 'bad-directive' }));
  });

  it.each([
    [
      ['z', 'y'],
      ['z', 'y'],
    ],
    // No order is no order to keep to.
    [[], ['z', 'y']],
    [
      ['d', 'z', 'y'],
      ['z', 'y'],
    ],
    [
      ['z', 'd', 'y'],
      ['z', 'y'],
    ],
  ])('replaces a list beside $setElementOrder %j', (order, result) => {
    const live = { spec: { containers: [{ name: 'c' }, { name: 'd' }] } };
    const named = (all: readonly string[]) => all.map((name) => ({ name }));
    const containers = [{ $patch: 'replace' }, ...named(['z', 'y'])];
    const patch = { spec: { containers, '$setElementOrder/containers': named(order) } };
    expect(strategicMergePatch(pod, live, patch)).toEqual({ spec: { containers: named(result) } });
  });

  it('refuses to replace a list in another order than $setElementOrder has', () => {
    const containers = [{ $patch: 'replace' }, { name: 'z' }, { name: 'y' }];
    const patch = { spec: { containers, '$setElementOrder/containers': [{ name: 'y' }, { name: 'z' }] } };
    expect(() => strategicMergePatch(pod, { spec: {} }, patch)).toThrow(
      expect.objectContaining({ reason: 'order-mismatch' }),
    );
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
