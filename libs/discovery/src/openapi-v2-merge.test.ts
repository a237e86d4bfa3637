import { inSlices } from '@orch/runtime/work';
import { describe, expect, it } from 'vitest';
import { partOf, withParts } from './openapi-v2-merge.js';

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const document = {
  paths: { '/apis/own/v1/a': { get: 1 } },
  definitions: { Meta: { description: 'own' }, Same: { type: 'string' }, Other: { type: 'object' } },
};

describe('what another server says of its paths', () => {
  const theirs = {
    paths: { '/apis/x/v1/things': { get: { schema: ref('Thing') } }, '/version': { get: ref('Version') } },
    definitions: {
      Thing: { properties: { meta: ref('Meta'), same: ref('Same'), own: ref('Thing') } },
      Meta: { description: 'theirs', properties: { same: ref('Same') } },
      Same: { type: 'string' },
      Version: {},
    },
  };

  it('is taken with what it needs, and nothing else', () => {
    const part = partOf(theirs, (path) => path.startsWith('/apis/x/v1/'));
    expect(Object.keys(part.paths)).toEqual(['/apis/x/v1/things']);
    expect(Object.keys(part.definitions).sort()).toEqual(['Meta', 'Same', 'Thing']);
  });

  it('is joined with what is said here, which stays as it is', async () => {
    const part = partOf(theirs, (path) => path.startsWith('/apis/'));
    const merged = await inSlices(withParts(document, [part]));
    expect(merged).toEqual({
      paths: { ...document.paths, '/apis/x/v1/things': { get: { schema: ref('Thing') } } },
      definitions: {
        ...document.definitions,
        Meta_v2: { description: 'theirs', properties: { same: ref('Same') } },
        Thing: { properties: { meta: ref('Meta_v2'), same: ref('Same'), own: ref('Thing') } },
      },
    });
    expect(document.definitions.Meta).toEqual({ description: 'own' });
  });

  it('is taken with the parameters that it shares', () => {
    const shared = { 'name-x': { name: 'name', in: 'path' } };
    const own = { name: 'own', in: 'query' };
    const ref = { $ref: '#/parameters/name-x' };
    const item = { get: { parameters: [own] }, put: { parameters: [ref] }, parameters: [ref] };
    expect(partOf({ paths: { '/a': item }, parameters: shared }, () => true).paths).toEqual({
      '/a': { get: { parameters: [own, shared['name-x']] }, put: { parameters: [shared['name-x']] } },
    });
    expect(() => partOf({ paths: { '/a': item } }, () => true)).toThrow('#/parameters/name-x is no object');
  });

  it.each([
    ['is no object', []],
    ['has paths that are none', { paths: 'x' }],
    ['has a path that is none', { paths: { '/apis/x': 1 } }],
    ['is nested too deeply', { paths: { '/apis/x': JSON.parse(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`) } }],
  ])('is not taken where it %s', (_what, broken) => {
    expect(() => partOf(broken, () => true)).toThrow();
  });
});
