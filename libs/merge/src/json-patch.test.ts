import { type JsonObject, type JsonValue, namesOf } from '@orch/machinery';
import { haveVectors, sharedVectors as vectors } from '@orch/machinery/testing';
import { loadScheme } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { declaredType } from './apply/types/declared-types.js';
import { MalformedPatchError, PatchTooLargeError, UnprocessablePatchError } from './errors.js';
import { applyJsonPatch } from './json-patch.js';
import { applyMergePatch } from './merge-patch.js';

interface Vector {
  id: string;
  type: string;
  doc: JsonValue;
  patch?: JsonValue;
  patchText?: string;
  result?: JsonValue;
  error?: string;
  stage?: 'decode' | 'apply';
}

const all = vectors<Vector>('patch-vectors.jsonl').filter(({ patch }) => patch !== undefined);
const ofType = (type: string) => all.filter((vector) => vector.type === `application/${type}+json`);

/** The vectors name the error that a reader of JSON would give; the library tells it apart further. */
const REASON: Record<string, string> = { 'invalid-json': 'unknown-operation' };

describe.skipIf(!haveVectors)('JSON patch vectors', () => {
  it.each(ofType('json-patch'))('$id', ({ doc, patch, result, error, stage }) => {
    const before = structuredClone(patch);
    const apply = () => applyJsonPatch(structuredClone(doc), patch as JsonValue);
    if (error === undefined) expect(apply()).toEqual(result);
    else if (stage === 'decode') expect(apply).toThrow(MalformedPatchError);
    else
      expect(apply).toThrow(
        expect.objectContaining({ name: 'UnprocessablePatchError', reason: REASON[error] ?? error }),
      );
    expect(patch).toEqual(before);
  });
});

describe.skipIf(!haveVectors)('JSON merge patch vectors', () => {
  it.each(ofType('merge-patch'))('$id', ({ doc, patch, result, error }) => {
    const before = structuredClone(patch);
    const apply = () => applyMergePatch(structuredClone(doc), patch as JsonValue);
    if (error === undefined) expect(apply()).toEqual(result);
    else expect(apply).toThrow(MalformedPatchError);
    expect(patch).toEqual(before);
  });
});

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => value as JsonValue);

describe('JSON patch', () => {
  it('refuses more operations than allowed', () => {
    const test = { op: 'test', path: '/a', value: 1 };
    expect(() => applyJsonPatch({ a: 1 }, [test, test], { maxOperations: 1 })).toThrow(PatchTooLargeError);
  });

  it('bounds what copies add', () => {
    const double = { op: 'copy', from: '/a', path: '/a/-' };
    const run = () => applyJsonPatch({ a: ['x'.repeat(100)] }, Array(20).fill(double), { maxCopyBytes: 10_000 });
    expect(run).toThrow(expect.objectContaining({ name: 'UnprocessablePatchError', reason: 'too-large' }));
  });

  it('keeps copies apart from what they were copied from', () => {
    const patch = [
      { op: 'add', path: '/a/x', value: 1 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'replace', path: '/b/x', value: 2 },
    ];
    expect(applyJsonPatch({ a: {} }, patch)).toEqual({ a: { x: 1 }, b: { x: 2 } });
  });

  it('shares nothing with the patch', () => {
    const patch = [{ op: 'add', path: '/a', value: { x: [1] } }];
    const result = applyJsonPatch({}, patch) as { a: { x: number[] } };
    result.a.x.push(2);
    expect(patch[0]?.value.x).toEqual([1]);
  });

  it.each(['valueOf', 'constructor', 'toString', 'hasOwnProperty', '__proto__'])(
    'knows no inherited member: %s',
    (name) => {
      const path = `/data/${name}`;
      const doc = () => ({ data: { a: '1' } });
      for (const operation of [
        { op: 'remove', path },
        { op: 'move', from: path, path: '/x' },
        { op: 'add', path: `${path}/x`, value: 1 },
      ]) {
        expect(() => applyJsonPatch(doc(), [operation]), operation.op).toThrow(UnprocessablePatchError);
      }
      expect(applyJsonPatch(doc(), [{ op: 'copy', from: path, path: '/x' }])).toEqual({ data: { a: '1' }, x: null });
      expect(() => applyJsonPatch(doc(), [{ op: 'test', path, value: {} }])).toThrow('test failed');
    },
  );

  it('takes `__proto__` for a member like others, and never sets a prototype', () => {
    const path = '/data/__proto__';
    const added = applyJsonPatch({ data: {} }, [{ op: 'add', path, value: { polluted: 1 } }]) as { data: object };
    expect(JSON.stringify(added)).toBe('{"data":{"__proto__":{"polluted":1}}}');
    expect(Object.getPrototypeOf(added.data)).toBe(Object.prototype);
    const replaced = applyJsonPatch(added as JsonValue, [{ op: 'replace', path: `${path}/polluted`, value: 2 }]);
    expect(JSON.stringify(replaced)).toBe('{"data":{"__proto__":{"polluted":2}}}');
    const moved = applyJsonPatch(replaced, [
      { op: 'copy', from: path, path: '/x' },
      { op: 'remove', path },
    ]);
    expect(JSON.stringify(moved)).toBe('{"data":{},"x":{"polluted":2}}');
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/__proto__/polluted', value: true }])).toThrow();
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }])).toThrow();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('finds what clients with declared types always write, also where it was left out', () => {
    const type = declaredType(loadScheme(namesOf('kubernetes')).struct('apps/v1.Deployment'), { zeros: true });
    const container = (more: JsonObject) => ({
      spec: { template: { spec: { containers: [{ name: 'c', ...more }] } } },
    });
    const patched = (...operations: JsonObject[]) => applyJsonPatch(container({}), operations, { type });
    const at = '/spec/template/spec/containers/0/resources';
    const limits = { cpu: '1' };
    expect(patched({ op: 'add', path: `${at}/limits`, value: limits })).toEqual(container({ resources: { limits } }));
    expect(patched({ op: 'test', path: at, value: {} })).toEqual(container({}));
    expect(patched({ op: 'remove', path: at })).toEqual(container({}));
    expect(patched({ op: 'remove', path: '/spec/template/metadata/creationTimestamp' })).toMatchObject(container({}));
    expect(() => patched({ op: 'add', path: '/metadata/labels/a', value: 'b' })).toThrow('missing path');
    expect(() => patched({ op: 'add', path: `${at}/limits/cpu`, value: '1' })).toThrow('missing path');
    expect(() => patched({ op: 'remove', path: '/spec/replicas' })).toThrow('missing path');
    const bare = [{ op: 'add', path: `${at}/limits`, value: limits }];
    expect(() => applyJsonPatch(container({}), bare)).toThrow('missing path');
  });

  it('bounds what its operations move', () => {
    const items = Array<JsonValue>(1_000).fill(0);
    const first = Array(100).fill({ op: 'add', path: '/0', value: 1 });
    const last = Array(100).fill({ op: 'add', path: '/-', value: 1 });
    expect(() => applyJsonPatch(items, first, { maxMovedItems: 10_000 })).toThrow(
      expect.objectContaining({ name: 'UnprocessablePatchError', reason: 'too-large' }),
    );
    expect(() => applyJsonPatch(items, last, { maxMovedItems: 10_000 })).not.toThrow();
  });

  it('gives back what was there after adding and removing (property)', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.string(), json, (doc, key, value) => {
        fc.pre(!Object.hasOwn(doc, key));
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const patch = [
          { op: 'add', path, value },
          { op: 'test', path, value },
          { op: 'remove', path },
        ];
        expect(applyJsonPatch(doc, patch)).toEqual(doc);
      }),
      { seed: 20260102 },
    );
  });

  it('answers any patch with a result or a typed error, and does not change the patch (property)', () => {
    const pointer = fc
      .array(fc.constantFrom('a', 'b', '0', '-', '-1', '~1'), { maxLength: 3 })
      .map((keys) => keys.map((key) => `/${key}`).join(''));
    const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'frob');
    const operation = fc.record({ op, path: pointer, from: pointer, value: json }, { requiredKeys: [] });
    const doc = fc.dictionary(fc.constantFrom('a', 'b'), json);
    fc.assert(
      fc.property(doc, fc.array(operation, { maxLength: 6 }), (document, patch) => {
        const before = structuredClone(patch);
        try {
          applyJsonPatch(document, patch as JsonValue);
        } catch (error) {
          expect(error).toBeInstanceOf(UnprocessablePatchError);
        }
        expect(patch).toEqual(before);
      }),
      { seed: 20260103, numRuns: 500 },
    );
  });
});

describe('JSON merge patch', () => {
  it('is idempotent, and does not change the patch (property)', () => {
    const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), json);
    fc.assert(
      fc.property(object, object, (doc, patch) => {
        const before = structuredClone(patch);
        const once = structuredClone(applyMergePatch(doc, patch));
        expect(applyMergePatch(structuredClone(once), patch)).toEqual(once);
        expect(patch).toEqual(before);
      }),
      { seed: 20260104 },
    );
  });

  it('takes `__proto__` for a member like others, and never sets a prototype', () => {
    const patch = JSON.parse('{"data":{"__proto__":{"polluted":1}}}') as JsonValue;
    for (const doc of [{}, { data: {} }, { data: { a: 1 } }]) {
      const merged = applyMergePatch(doc, patch) as { data: Record<string, unknown> };
      expect(JSON.stringify(merged)).toContain('"__proto__":{"polluted":1}');
      expect(merged.data.polluted).toBeUndefined();
      expect(
        JSON.stringify(applyMergePatch(merged as JsonValue, JSON.parse('{"data":{"__proto__":null}}'))),
      ).not.toContain('polluted');
    }
  });

  it('keeps integers exact', () => {
    expect(applyMergePatch({ n: 1 }, { n: 9007199254740993n })).toEqual({ n: 9007199254740993n });
  });
});
