import { StatusError } from '@orch/machinery';
import type { CreationVerdict, Endpoint } from '@orch/resources';
import {
  type Asker,
  askOf,
  definitionOf,
  listenerOf,
  openServer,
  serveCustom,
  type TestApi,
  type TestServer,
  testApi,
  version,
} from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const BASE = '/apis/example.test/v1/namespaces/default/widgets';
const widget = (name: string, metadata: object = {}) => ({
  apiVersion: 'example.test/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
});
const APPLY = 'application/apply-patch+yaml';

let api: TestApi;
let server: TestServer;
let endpoint: Endpoint;
/** What has begun and not ended. */
let underWay = 0;
let verdict: CreationVerdict = 'keep';
let refusal: StatusError | undefined;

beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  server = await openServer(listenerOf(api));
  const [made] = await serveCustom(api, definitionOf([version('v1', { type: 'object' })]));
  [underWay, verdict, refusal] = [0, 'keep', undefined];
  const beginCreation = async () => {
    if (refusal) throw refusal;
    underWay++;
    return () => {
      underWay--;
      return verdict;
    };
  };
  endpoint = { ...(made as Endpoint), beginCreation };
  api.served.replace([...api.endpoints, endpoint]);
});
afterEach(async () => {
  await server.close();
  api.close();
});

const ask: Asker = (...asked) => askOf(server)(...asked);
const names = () => api.store.rows(endpoint.type).map(({ name }) => name);

describe('an object whose making somebody is asked about', () => {
  it('is made, and they hear that it was, or was not', async () => {
    expect((await ask('POST', BASE, widget('a'))).status).toBe(201);
    expect((await ask('POST', BASE, widget('a'))).status).toBe(409);
    expect((await ask('PATCH', `${BASE}/b?fieldManager=me`, widget('b'), APPLY)).status).toBe(201);
    expect((await ask('POST', BASE, { ...widget('c'), metadata: { generateName: 'c-' } })).status).toBe(201);
    expect([underWay, names().length]).toEqual([0, 3]);
  });

  it('is not made where they refuse; what is there is changed all the same', async () => {
    await ask('POST', BASE, widget('a'));
    refusal = new StatusError('MethodNotAllowed', 'no more');
    expect((await ask('POST', BASE, widget('b'))).body).toMatchObject({ code: 405, message: 'no more' });
    expect((await ask('PATCH', `${BASE}/b?fieldManager=me`, widget('b'), APPLY)).status).toBe(405);
    const labelled = widget('a', { labels: { a: 'b' } });
    expect((await ask('PATCH', `${BASE}/a?fieldManager=me`, labelled, APPLY)).status).toBe(200);
    expect((await ask('DELETE', `${BASE}/a`)).status).toBe(200);
    expect(names()).toEqual([]);
  });

  it('is taken back where it may have come too late, whatever holds it', async () => {
    verdict = 'take back';
    const held = widget('a', { finalizers: ['example.test/hold'] });
    expect((await ask('POST', BASE, held)).body).toMatchObject({ code: 503, reason: 'ServiceUnavailable' });
    expect((await ask('POST', `${BASE}?dryRun=All`, widget('b'))).status).toBe(503);
    expect((await ask('PATCH', `${BASE}/c?fieldManager=me`, widget('c'), APPLY)).status).toBe(503);
    expect([underWay, names()]).toEqual([0, []]);
  });

  it('is not taken back where it was not made', async () => {
    await ask('POST', BASE, widget('a'));
    verdict = 'take back';
    expect((await ask('POST', BASE, widget('a'))).status).toBe(409);
    expect(names()).toEqual(['a']);
  });

  it('is given up when its time is over, however long its schema would keep the server busy', {
    timeout: 15_000,
  }, async () => {
    const oneOf = Array.from({ length: 2_000 }, (_, at) => ({ properties: { x: { enum: [at] } } }));
    const items = { type: 'object', properties: { x: { type: 'integer' } }, oneOf };
    const list = { type: 'object', properties: { list: { type: 'array', items } } };
    const [slow] = await serveCustom(api, definitionOf([version('v1', list)]));
    const { beginCreation } = endpoint;
    api.served.replace([...api.endpoints, { ...(slow as Endpoint), ...(beginCreation && { beginCreation }) }]);
    const body = { ...widget('a'), list: Array(15_000).fill({ x: 1_999 }) };
    const answer = ask('POST', `${BASE}?timeout=2s`, body);
    await expect.poll(() => underWay, { timeout: 30_000 }).toBe(1);
    expect((await answer).body).toMatchObject({ code: 504, reason: 'Timeout' });
    await expect.poll(() => underWay, { timeout: 30_000 }).toBe(0);
  });
});
