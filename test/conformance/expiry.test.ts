import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { Api, type ApiList } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { configMap, expectRefusal, expectStatus, list, namesIn } from './conformance.js';

const PATH = '/api/v1/namespaces/default/configmaps';

describe('History that is no longer held [Limits]', () => {
  let server: Standalone;
  let api: Api;
  let before: ApiList;

  beforeAll(async () => {
    server = await startStandalone({ args: ['--history-retention=1s'] });
    api = new Api(server);
    for (const name of ['a', 'b', 'c']) expectStatus(await api.post(PATH, configMap(name)), 201);
    before = await list(api, `${PATH}?limit=1`);
    expectStatus(await api.delete(`${PATH}/b`), 200);
    // History goes with the partitions that hold it: one is dropped once a newer one has begun and its own last change is old.
    let count = 0;
    await waitUntil('the version has expired', 30_000, async () => {
      expectStatus(await api.put(`${PATH}/c`, configMap('c', { data: { count: String(count++) } })), 200);
      const answer = await api.get(
        `${PATH}?resourceVersion=${before.metadata.resourceVersion}&resourceVersionMatch=Exact`,
      );
      return answer.status === 410;
    });
  });

  afterAll(async () => {
    api.close();
    await server.stop();
  });

  test('an exact read of it is 410 Expired', async () => {
    const query = `resourceVersion=${before.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expectRefusal(await api.get(`${PATH}?${query}`), 410, 'Expired');
  });

  test('a watch from it is 410 before the stream', async () => {
    const stream = await api.watch(`${PATH}?watch=1&resourceVersion=${before.metadata.resourceVersion}`);
    expect(stream.status).toBe(410);
    expect(await stream.refusal()).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
  });

  test('a continue token of it is 410 with one that goes on from the same place at a newer version', async () => {
    const answer = await api.get(`${PATH}?limit=1&continue=${encodeURIComponent(before.metadata.continue ?? '')}`);
    const status = expectRefusal(answer, 410, 'Expired');
    const next = await list(api, `${PATH}?limit=5&continue=${encodeURIComponent(status.metadata.continue ?? '')}`);
    expect(namesIn(next)).toContain('c');
    expect(namesIn(next)).not.toContain('a');
    expect(BigInt(next.metadata.resourceVersion) > BigInt(before.metadata.resourceVersion)).toBe(true);
  });

  test('a type in which nothing changes keeps its version for ever', async () => {
    const secrets = await list(api, '/api/v1/secrets');
    const stream = await api.watch(
      `/api/v1/secrets?watch=1&timeoutSeconds=1&resourceVersion=${secrets.metadata.resourceVersion}`,
    );
    expect(stream.status).toBe(200);
    expect(await stream.rest()).toEqual([]);
  });
});
