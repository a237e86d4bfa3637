import type { JsonValue } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedPatchError, PatchTooLargeError, UnprocessablePatchError } from './errors.js';
import { applyJsonPatch } from './json-patch.js';
import { applyMergePatch } from './merge-patch.js';
import { haveVectors, vectors } from './testing/vectors.js';

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
    const before = structuredClone({ doc, patch });
    const apply = () => applyJsonPatch(doc, patch as JsonValue);
    if (error === undefined) expect(apply()).toEqual(result);
    else if (stage === 'decode') expect(apply).toThrow(MalformedPatchError);
    else
      expect(apply).toThrow(
        expect.objectContaining({ name: 'UnprocessablePatchError', reason: REASON[error] ?? error }),
      );
    expect({ doc, patch }).toEqual(before);
  });
});

describe.skipIf(!haveVectors)('JSON merge patch vectors', () => {
  it.each(ofType('merge-patch'))('$id', ({ doc, patch, result, error }) => {
    const before = structuredClone({ doc, patch });
    const apply = () => applyMergePatch(doc, patch as JsonValue);
    if (error === undefined) expect(apply()).toEqual(result);
    else expect(apply).toThrow(MalformedPatchError);
    expect({ doc, patch }).toEqual(before);
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

  it('never sets a prototype', () => {
    const polluted = [{ op: 'add', path: '/__proto__/polluted', value: true }];
    expect(() => applyJsonPatch({}, polluted)).toThrow(UnprocessablePatchError);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }])).toThrow();
  });

  it('gives back what was there after adding and removing (property)', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.string(), json, (doc, key, value) => {
        fc.pre(key !== '__proto__' && !Object.keys(doc).includes('__proto__') && !Object.hasOwn(doc, key));
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

  it('answers any patch with a result or a typed error, and changes no input (property)', () => {
    const pointer = fc
      .array(fc.constantFrom('a', 'b', '0', '-', '-1', '~1'), { maxLength: 3 })
      .map((keys) => keys.map((key) => `/${key}`).join(''));
    const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'frob');
    const operation = fc.record({ op, path: pointer, from: pointer, value: json }, { requiredKeys: [] });
    const doc = fc.dictionary(fc.constantFrom('a', 'b'), json);
    fc.assert(
      fc.property(doc, fc.array(operation, { maxLength: 6 }), (document, patch) => {
        const before = structuredClone({ document, patch });
        try {
          applyJsonPatch(document, patch as JsonValue);
        } catch (error) {
          expect(error).toBeInstanceOf(UnprocessablePatchError);
        }
        expect({ document, patch }).toEqual(before);
      }),
      { seed: 20260103, numRuns: 500 },
    );
  });
});

describe('JSON merge patch', () => {
  it('is idempotent, and changes no input (property)', () => {
    const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), json);
    fc.assert(
      fc.property(object, object, (doc, patch) => {
        const before = structuredClone({ doc, patch });
        const once = applyMergePatch(doc, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
        expect({ doc, patch }).toEqual(before);
      }),
      { seed: 20260104 },
    );
  });

  it('keeps integers exact', () => {
    expect(applyMergePatch({ n: 1 }, { n: 9007199254740993n })).toEqual({ n: 9007199254740993n });
  });
});
