import { StatusError } from '@orch/machinery';
import { type TestApi, testApi } from '@orch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selectionOf } from './selection.js';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

const select = (text: string, name = '', resource = 'pods') =>
  selectionOf(new URLSearchParams(text), api.endpoint(resource), name);

const attributes = (labels: Record<string, string>, fields: Record<string, string>) => ({ labels, fields });

describe('selectionOf', () => {
  it.each(['', 'labelSelector=', 'fieldSelector=', 'labelSelector=&fieldSelector='])(
    '%j selects everything',
    (text) => {
      expect(select(text)).toBeUndefined();
    },
  );

  it('asks that labels, fields and name all fit', () => {
    const selection = select('labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dn1', 'p');
    const fits = { 'metadata.name': 'p', 'spec.nodeName': 'n1' };
    expect(selection?.matches(attributes({ app: 'web' }, fits))).toBe(true);
    expect(selection?.matches(attributes({}, fits))).toBe(false);
    expect(selection?.matches(attributes({ app: 'web' }, { ...fits, 'spec.nodeName': 'n2' }))).toBe(false);
    expect(selection?.matches(attributes({ app: 'web' }, { ...fits, 'metadata.name': 'q' }))).toBe(false);
  });

  it('tells the index what must be equal', () => {
    const selection = select(
      'labelSelector=app%3Dweb,tier!%3Ddb&fieldSelector=spec.nodeName%3Dn1,status.phase!%3DFailed',
    );
    expect([...(selection?.equals ?? [])]).toEqual([
      ['label:app', 'web'],
      ['field:spec.nodeName', 'n1'],
    ]);
  });

  it.each([
    ['fieldSelector=metadata.name%3Da', '', true],
    ['fieldSelector=metadata.name%3Da,metadata.namespace%3Dn', '', true],
    ['', 'a', true],
    ['fieldSelector=metadata.namespace%3Dn', 'a', true],
    ['fieldSelector=metadata.name%3Da', 'b', false],
    ['fieldSelector=metadata.name!%3Da', '', false],
    ['fieldSelector=metadata.name%3Da,metadata.name!%3Db', '', false],
    ['fieldSelector=metadata.name%3Da,spec.nodeName%3Dn1', '', false],
    ['fieldSelector=metadata.name%3Da&labelSelector=app', '', false],
    ['fieldSelector=metadata.name%3Da&labelSelector=app%3Dweb', '', false],
    ['labelSelector=app%3Dweb', '', false],
  ])('%s of %j is decided by keys alone: %s', (text, name, byKey) => {
    expect(select(text, name)?.byKey).toBe(byKey);
  });

  it('matches nothing when a field asks for another name than the path', () => {
    const selection = select('fieldSelector=metadata.name%3Da', 'b');
    for (const name of ['a', 'b']) expect(selection?.matches(attributes({}, { 'metadata.name': name }))).toBe(false);
  });

  it.each([
    ['labelSelector=a%20b'],
    ['labelSelector=a%20in%20('],
    ['labelSelector=%3D'],
    ['fieldSelector=spec.nodeName'],
    ['fieldSelector=spec.nosuch%3Dx'],
    ['fieldSelector=__proto__%3Dx'],
    ['fieldSelector=constructor%3Dx'],
    ['fieldSelector=spec.nodeName%20in%20(a,b)'],
  ])('%s is a 400', (text) => {
    expect(() => select(text)).toThrow(StatusError);
    try {
      select(text);
    } catch (error) {
      expect((error as StatusError).code).toBe(400);
    }
  });

  it('knows the fields of each type', () => {
    expect(() => select('fieldSelector=spec.nodeName%3Dx', '', 'configmaps')).toThrow(
      '"spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    expect(() => select('fieldSelector=spec.image%3Dx')).toThrow('field label not supported: spec.image');
    expect(select('fieldSelector=metadata.namespace%3Dx', '', 'configmaps')).toBeDefined();
  });

  it('gives equal keys to equal selections alone', () => {
    const key = (text: string, name = '') => select(text, name)?.key;
    expect(key('labelSelector=a%3D1,b%3D2')).toBe(key('labelSelector=b%3D2,a%3D1'));
    expect(key('labelSelector=a%3D1')).not.toBe(key('labelSelector=a%3D2'));
    // A separator within a value must not shift what is what: watchers with equal keys share their events.
    expect(key('fieldSelector=metadata.name%3Dx', 'y|z')).not.toBe(key('fieldSelector=metadata.name%3Dx|y', 'z'));
  });
});
