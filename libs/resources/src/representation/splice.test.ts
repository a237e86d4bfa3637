import { type TestApi, testApi } from '@orch/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stored } from '../stored/stored.js';
import { spliceJson, splicePieces, typePrefix } from './splice.js';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

const around = (length: number) => [`${length.toString(16)}\r\n`, '\r\n'] as const;

/** A stored set of pods, of so many containers, each of which lacks a member that is always written. */
function stored(containers: number): Stored {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: Array.from({ length: containers }, (_, i) => ({ name: `c${i}`, image: 'i' })) },
  };
  const object = { metadata: { name: 'o', uid: 'ü' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
  return { version: 7n, storedVersion: '', defaults: 32_767, body: Buffer.from(JSON.stringify(object)) };
}

it('an object in pieces is the same as in one, with what it lacks and what stands around it', () => {
  const endpoint = api.endpoint('deployments', 'apps');
  const prefix = `{"object":${typePrefix('apps/v1', 'Deployment')}`;
  const object = stored(2);
  const whole = spliceJson(prefix, object, endpoint, '}\n', around);
  const pieces = splicePieces(prefix, object, endpoint, '}\n', around) ?? expect.unreachable();
  expect(Buffer.concat(pieces).toString()).toBe(whole.toString());
  expect(whole.toString()).toContain('"resources":{}');
  const [length = '', text = ''] = whole.toString('latin1').split('\r\n');
  expect(text.length).toBe(Number.parseInt(length, 16));
  expect(JSON.parse(whole.toString('utf8', length.length + 2))).toMatchObject({
    object: { kind: 'Deployment', metadata: { name: 'o', uid: 'ü', resourceVersion: '7' } },
  });
  const views = pieces.filter(({ buffer }) => buffer === object.body.buffer);
  expect(views.length).toBeGreaterThan(1);
});

it('an object that lacks members in many places is not made in as many pieces', () => {
  expect(splicePieces('{', stored(20), api.endpoint('deployments', 'apps'), '')).toBeUndefined();
});
