import { afterAll, describe, expect, inject, test } from 'vitest';
import { Api, type RequestSettings } from '../support/api.js';
import { expectStatus } from './conformance.js';
import './provided-context.js';
import { HOSTILE_NUMBERS, HOSTILE_TEXTS, spoilt, TEMPLATES } from './hostile-keys.js';

const AT_ONCE = 8;
const TIMEOUT_MS = 300_000;
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };

type Ask = readonly [method: string, path: string, settings?: RequestSettings];

// In one naming only: names of groups make no difference, and there is much to ask.
describe('what a client gets wrong is never an internal error [Errors]', () => {
  const api = new Api(inject('servers').kubernetes);
  afterAll(() => api.close());

  /** Sends all of them, and names those that were answered as if the server were at fault. */
  async function faults(requests: Iterable<Ask>): Promise<string[]> {
    const found: string[] = [];
    const queue = requests[Symbol.iterator]();
    const worker = async () => {
      for (let next = queue.next(); !next.done; next = queue.next()) {
        const [method, path, settings] = next.value;
        const { status, text } = await api.request(method, path, settings);
        if (status < 500) continue;
        found.push(
          `${status} ${method} ${path.slice(0, 200)} ${String(settings?.body).slice(0, 400)}: ${text.slice(0, 300)}`,
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return found;
  }

  test('what is spoilt below is sound as it is', async () => {
    for (const { path, object, answer } of TEMPLATES) {
      const { status, text } = await api.post(`${path}?dryRun=All`, object);
      expect.soft(status, `${path}: ${text.slice(0, 600)}`).toBe(answer);
    }
  });

  test('not a value of an object that cannot be a key', { timeout: TIMEOUT_MS }, async () => {
    function* requests(): Generator<Ask> {
      for (const { path, object } of TEMPLATES)
        for (const body of spoilt(object, HOSTILE_TEXTS, HOSTILE_NUMBERS)) {
          yield ['POST', `${path}?dryRun=All`, { body }];
        }
    }
    expect(await faults(requests())).toEqual([]);
    expectStatus(await api.get('/readyz'), 200);
  });

  test('not a name, in whatever verb', { timeout: TIMEOUT_MS }, async () => {
    function* requests(): Generator<Ask> {
      for (const { path, object } of TEMPLATES) {
        for (const text of HOSTILE_TEXTS) {
          const named = (metadata: object) => JSON.stringify({ ...object, metadata });
          const at = path;
          yield ['POST', at, { body: named({ name: text }) }];
          yield ['POST', at, { body: named({ generateName: text }) }];
          yield ['POST', at, { body: named({ name: 'x', namespace: text }) }];
          yield ['PUT', `${at}/x?dryRun=All`, { body: named({ name: text }) }];
          yield ['PATCH', `${at}/x?fieldManager=m&dryRun=All`, { body: named({ name: text }), headers: APPLY }];
          yield ['PATCH', `${at}/x`, { body: JSON.stringify({ metadata: { name: text, uid: text } }), headers: MERGE }];
          yield [
            'DELETE',
            `${at}/x`,
            { body: JSON.stringify({ preconditions: { uid: text, resourceVersion: text } }) },
          ];
        }
      }
    }
    expect(await faults(requests())).toEqual([]);
  });

  test('not a path or a query', { timeout: TIMEOUT_MS }, async () => {
    const encoded = [
      ...HOSTILE_TEXTS.map((text) => encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, '\ufffd'))),
      '%ED%A0%80',
      '%C0%80',
      '%',
    ];
    function* requests(): Generator<Ask> {
      for (const { path, object } of TEMPLATES) {
        for (const text of encoded) {
          const at = path;
          const body = JSON.stringify({ ...object, metadata: { name: decoded(text) } });
          for (const method of ['GET', 'DELETE']) yield [method, `${at}/${text}`];
          yield ['PUT', `${at}/${text}?dryRun=All`, { body }];
          yield ['PATCH', `${at}/${text}?fieldManager=m&dryRun=All`, { body, headers: APPLY }];
          yield ['PATCH', `${at}/${text}`, { body: '{}', headers: MERGE }];
          yield ['GET', at.replace('/default/', `/${text}/`)];
          yield ['POST', `${at.replace('/default/', `/${text}/`)}?dryRun=All`, { body: JSON.stringify(object) }];
          for (const query of QUERIES) yield ['GET', `${at}?${query}=${text}`];
          for (const field of ['metadata.name', 'metadata.namespace', 'spec.nodeName', 'involvedObject.name'])
            yield ['GET', `${at}?fieldSelector=${field}%3D${text}`];
          // Each lasts a second.
          if (WATCHED.includes(object.kind ?? ''))
            yield ['GET', `${at}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3D${text}`];
          yield ['DELETE', `${at}?dryRun=All&fieldSelector=metadata.name%3D${text}`];
          for (const query of ['gracePeriodSeconds', 'propagationPolicy', 'fieldManager', 'dryRun'])
            yield ['DELETE', `${at}/x?${query}=${text}`];
        }
      }
    }
    expect(await faults(requests())).toEqual([]);
  });
});

const WATCHED = ['ConfigMap', 'Role'];
const QUERIES = [
  'labelSelector',
  'fieldSelector',
  'resourceVersion',
  'continue',
  'limit',
  'timeoutSeconds',
  'timeout',
  'pretty',
];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
