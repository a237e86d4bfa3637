import { Client, Informer } from '@orch/client';

import { type Controller, informerSource } from '@orch/controllers';
import { StoreInformer } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { fromStored } from '@orch/resources';
import type { Indexers, SharedInformer } from '@orch/runtime/informers';
import { ControllerClient } from '@orch/writing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controllerHost, type RunningControllers, runControllers } from './controllers.js';
import { type TestApi, testApi } from './test-api.js';
import { listenerOf, openServer, type TestServer } from './test-server.js';

const NAMESPACE = 'default';
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', namespace: NAMESPACE };
const COPY_OF = 'copy-of';

/** Creates an object; one that exists is left as it is. */
type Create = (object: ApiObject) => Promise<void>;

const indexers: Indexers<ApiObject> = {
  [COPY_OF]: ({ metadata }) => [metadata?.labels?.[COPY_OF]].filter((name) => name !== undefined),
};

/** A controller that keeps a copy of each config map that is not one itself. It knows nothing of where objects come from. */
const copier = (informer: SharedInformer<ApiObject>, create: Create): Controller => ({
  name: 'copier',
  sources: [informerSource(informer), copiesSource(informer)],
  async reconcile(key) {
    const { name = '', labels } = informer.get(key)?.metadata ?? {};
    if (name === '' || labels?.[COPY_OF] !== undefined || [...informer.byIndex(COPY_OF, name)].length > 0)
      return undefined;
    await create({ metadata: { namespace: NAMESPACE, name: `${name}-copy`, labels: { [COPY_OF]: name } } });
    return undefined;
  },
});

/** Wakes the controller with the original of a copy that has gone. */
const copiesSource = (informer: SharedInformer<ApiObject>): Controller['sources'][number] => ({
  subscribe: (enqueue) =>
    informer.subscribe({
      deleted: ({ metadata }) => {
        const original = metadata?.labels?.[COPY_OF];
        if (original !== undefined) enqueue(`${NAMESPACE}/${original}`);
      },
    }),
  keys: () => [],
});

let api: TestApi;
let server: TestServer;
let remote: Client;
let running: RunningControllers | undefined;
const errors: unknown[] = [];
const onError = (error: unknown) => void errors.push(error);

beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  server = await openServer(listenerOf(api));
  remote = new Client({ server: `http://127.0.0.1:${server.port}` }, { names: api.deps.names });
  errors.length = 0;
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await remote.close();
  await server.close();
  api.close();
  expect(errors).toEqual([]);
});

/** The informer and the writes of a controller within the server. */
function inProcess() {
  const endpoint = api.endpoint('configmaps');
  const read = (row: Parameters<typeof fromStored>[0]) => fromStored(row, endpoint);
  const source = { type: endpoint.type, source: api.store, feed: api.feed, read, onError };
  const informer = new StoreInformer<ApiObject>({ ...source, indexers });
  const client = new ControllerClient(controllerHost(api), 'copier');
  const create: Create = async (object) => {
    await client.create(endpoint, object);
  };
  return { informer, create, start: () => informer.start() };
}

/** Those of one in another process, over HTTP. */
function overHttp() {
  const informer = new Informer<ApiObject>(remote, CONFIG_MAPS, { indexers, onError });
  const create: Create = async (object) => {
    await remote.create(CONFIG_MAPS, object);
  };
  return {
    ...{ informer, create },
    async start() {
      informer.start();
      await informer.synced;
    },
  };
}

describe.each([
  ['in the server', inProcess],
  ['over HTTP', overHttp],
] as const)('one controller %s', (_where, sourceOf) => {
  async function run() {
    const { informer, create, start } = sourceOf();
    const controllers = [copier(informer, create)];
    running = await runControllers({ controllers, start, stop: () => informer.stop() }, { onError });
    return informer;
  }
  const copies = () =>
    ['old', 'new'].filter((name) => api.stored('configmaps', `${name}-copy`, NAMESPACE) !== undefined);

  it('reconciles what was there, what comes, and what somebody undoes', async () => {
    await api.create('configmaps', { metadata: { name: 'old' } });
    const informer = await run();
    expect(informer.hasSynced).toBe(true);
    await expect.poll(copies).toEqual(['old']);
    await api.create('configmaps', { metadata: { name: 'new' } });
    await expect.poll(copies).toEqual(['old', 'new']);
    const uidOf = () => api.stored('configmaps', 'old-copy', NAMESPACE)?.metadata?.uid;
    const before = uidOf();
    await remote.delete(CONFIG_MAPS, 'old-copy');
    await expect.poll(() => uidOf() ?? before).not.toBe(before);
    await informer.confirm();
    expect([...informer.byIndex(COPY_OF, 'old')].map(({ metadata }) => metadata?.uid)).toEqual([uidOf()]);
  });

  it('begins when everything is cached that was written before', async () => {
    const informer = await run();
    for (let count = 0; count < 5; count++) {
      const name = `n${count}`;
      await api.create('configmaps', { metadata: { name } });
      await informer.confirm();
      expect(informer.get(`${NAMESPACE}/${name}`)?.metadata?.name).toBe(name);
    }
  });
});

it('objects of other resources do not keep a remote informer from being confirmed', async () => {
  const { informer, start } = overHttp();
  await start();
  await api.create('secrets', { metadata: { name: 's' } });
  await informer.confirm();
  await informer.stop();
  await expect(informer.confirm()).rejects.toThrow('stopped');
});
