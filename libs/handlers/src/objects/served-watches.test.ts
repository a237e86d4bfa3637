import type { Endpoint } from '@orch/resources';
import { listenerOf, MemoryStore, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServedWatches } from './served-watches.js';

let api: TestApi;
let server: TestServer;
/** While true, nobody is told of writes. */
let hushed = false;

beforeEach(async () => {
  hushed = false;
  const store = new MemoryStore();
  const listen = store.onCommit.bind(store);
  store.onCommit = (listener) => listen((changes) => hushed || listener(changes));
  api = await testApi({}, 'orch', store);
  server = await openServer(listenerOf(api));
});
afterEach(async () => {
  await server.close();
  api.close();
});

const others = (gone: Endpoint) => api.served.current.endpoints.filter((endpoint) => endpoint !== gone);
const open = (count: number) => expect.poll(() => api.deps.cache.watchers).toBe(count);

describe('watches of what is served no more', () => {
  it('end in order, and no others notice', async () => {
    const gone = server.ask('/api/v1/configmaps?watch=1&allowWatchBookmarks=1');
    let stays = true;
    const staying = server.ask('/api/v1/secrets?watch=1').finally(() => (stays = false));
    await open(2);
    await api.create('configmaps', { metadata: { name: 'last' } });
    api.served.replace(others(api.endpoint('configmaps')));
    const answer = await gone;
    expect([answer.status, answer.complete]).toEqual([200, true]);
    const types = answer.body
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual(['ADDED', 'BOOKMARK']);
    expect((await server.ask('/api/v1/configmaps?watch=1')).status).toBe(404);
    expect([stays, api.deps.cache.watchers]).toEqual([true, 1]);
    await server.close();
    await staying.catch(() => undefined);
  });

  it('end with the last changes, of which this process has not heard yet', async () => {
    const gone = server.ask('/api/v1/configmaps?watch=1');
    await open(1);
    hushed = true;
    await api.create('configmaps', { metadata: { name: 'last' } });
    api.served.replace(others(api.endpoint('configmaps')));
    expect((await gone).body.toString()).toContain('"name":"last"');
  });

  it('end at once when it went while they were begun', () => {
    const watches = new ServedWatches(api.served, api.deps.cache);
    const endpoint = api.endpoint('configmaps');
    let finished = 0;
    const stream = { finish: () => finished++ };
    const leave = watches.add(endpoint, stream);
    leave();
    api.served.replace(others(endpoint));
    expect(finished).toBe(0);
    watches.add(endpoint, stream);
    expect(finished).toBe(1);
  });
});
