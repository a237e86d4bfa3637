import { type Authorizer, forbiddenRequest } from '@orch/authorization';
import { type ApiObject, tooManyRequests } from '@orch/machinery';
import { Metrics } from '@orch/runtime';
import { OpenWatches, RequestMetrics } from '@orch/serving';
import { StoreUnavailableError } from '@orch/storage';
import { controllerHost, type TestApi, testApi } from '@orch/testing';
import type { LocalHost } from '@orch/writing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalApi } from './local-api.js';
import { observerOf } from './local-host.js';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const POD = { ...PODS, namespace: 'default', name: 'p' };
const MAP = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'm' };
const EVERYTHING = { indexers: {}, onError: () => undefined };

let api: TestApi;
let watches: OpenWatches;
/** Verbs and resources that are refused. */
let refused: Set<string>;
/** Requests that were asked for. */
let asked: string[];
let local: LocalApi;
const authorizer: Authorizer = {
  async authorize({ name, groups }, { verb, resource, subresource }) {
    const what = [verb, resource, subresource].filter(Boolean).join(' ');
    asked.push(`${name} (${groups.join()}) ${what}`);
    return { decision: refused.has(what) ? 'no-opinion' : 'allow', reason: '' };
  },
};

beforeEach(async () => {
  [refused, asked, watches] = [new Set(), [], new OpenWatches({ inAll: 0, perUser: 0 })];
  api = await testApi();
  local = localWith({});
});
afterEach(() => api.close());

/** The API as a user of other parts. */
function localWith(more: Partial<LocalHost>): LocalApi {
  const { deps, store, feed } = api;
  const { term: _, ...host } = controllerHost(api, { authorizer, ...more });
  return new LocalApi({ deps, store, feed, watches, host }, { name: 'u', groups: [], agent: 'tool/1' });
}

const addPod = (name: string, phase?: string) =>
  api.create('pods', {
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }] },
    ...(phase !== undefined && { status: { phase } }),
  } as ApiObject);
const binding = (uid?: string) => ({
  ...{ apiVersion: 'v1', kind: 'Binding', target: { kind: 'Node', name: 'n' } },
  metadata: { namespace: 'default', name: 'p', ...(uid !== undefined && { uid }) },
});
const map = (data: object, metadata: object = {}) =>
  ({ metadata: { namespace: 'default', name: 'm', ...metadata }, data }) as ApiObject;

describe('requests within the process', () => {
  it('are those of the user, with its agent as the manager of fields', async () => {
    const requests = local.requests();
    const made = await requests.create(MAP, map({ a: '1' }));
    expect(made).toMatchObject({ kind: 'ConfigMap', metadata: { managedFields: [{ manager: 'tool' }] } });
    const { resourceVersion } = made.metadata ?? {};
    const replaced = await requests.replace(MAP, map({ a: '2' }, { resourceVersion }));
    expect(replaced).toMatchObject({ data: { a: '2' } });
    await requests.patch(MAP, { data: { b: '3', a: null } });
    expect(await requests.get(MAP)).toMatchObject({ data: { b: '3' } });
    await requests.delete(MAP, made.metadata?.uid ?? '');
    expect(asked).toEqual(
      ['create', 'update', 'patch', 'get', 'delete'].map((verb) => `u (system:authenticated) ${verb} configmaps`),
    );
    await expect(requests.get(MAP)).rejects.toMatchObject({ code: 404 });
  });

  it('replace and delete what they name, and nothing newer', async () => {
    const requests = local.requests();
    const { metadata = {} } = await requests.create(MAP, map({ a: '1' }));
    await requests.patch(MAP, { data: { a: '2' } });
    const { resourceVersion } = metadata;
    await expect(requests.replace(MAP, map({}, { resourceVersion }))).rejects.toMatchObject({ code: 409 });
    await expect(requests.replace(MAP, map({}, { uid: 'other' }))).rejects.toMatchObject({ code: 409 });
    await expect(requests.delete(MAP, 'other')).rejects.toMatchObject({ code: 409 });
    expect(api.stored('configmaps', 'm')).toMatchObject({ data: { a: '2' } });
  });

  it('bind pods as a Binding over HTTP does', async () => {
    const { metadata } = await addPod('p');
    await expect(local.requests().bind(POD, binding('other'))).rejects.toMatchObject({ code: 409 });
    await local.requests().bind(POD, binding(metadata?.uid));
    expect(api.stored('pods', 'p')).toMatchObject({
      spec: { nodeName: 'n' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    await expect(local.requests().bind(POD, binding())).rejects.toThrow('already assigned to node "n"');
    expect(asked[0]).toBe('u (system:authenticated) create pods binding');
  });

  it('are refused without the right', async () => {
    await addPod('p');
    for (const right of ['create pods binding', 'patch pods status', 'get pods']) refused.add(right);
    const requests = local.requests();
    await expect(requests.bind(POD, binding())).rejects.toMatchObject({ code: 403 });
    await expect(requests.patch(POD, { status: {} }, 'status')).rejects.toMatchObject({ code: 403 });
    await expect(requests.get(POD)).rejects.toMatchObject({ code: 403 });
    expect(api.stored('pods', 'p')?.spec).not.toHaveProperty('nodeName');
  });

  it('write nothing once their term is over, by the clock or by its end', async () => {
    await addPod('p');
    const ending = new AbortController();
    const term = { goesOn: true, ended: ending.signal };
    const requests = local.requests({ term });
    term.goesOn = false;
    await expect(requests.bind(POD, binding())).rejects.toMatchObject({ code: 503 });
    await expect(requests.create(MAP, map({}))).rejects.toMatchObject({ code: 503 });
    term.goesOn = true;
    ending.abort(new Error('no leader'));
    asked = [];
    await expect(requests.bind(POD, binding())).rejects.toThrow('no leader');
    expect(asked).toEqual([]);
    expect(api.stored('configmaps', 'm')).toBeUndefined();
    expect(api.stored('pods', 'p')?.spec).not.toHaveProperty('nodeName');
  });

  it('fail when their time or their term is over, or nobody waits for them any more', async () => {
    const hangs = () => new Promise<never>(() => undefined);
    local = localWith({ authorizer: { authorize: hangs } as unknown as Authorizer });
    await expect(local.requests({ timeoutMs: 10 }).get(MAP)).rejects.toThrow('no answer within 10 ms');
    const stop = new AbortController();
    const replacing = local.requests().replace(MAP, map({}), stop.signal);
    stop.abort(new Error('not needed'));
    await expect(replacing).rejects.toThrow('not needed');
    const ending = new AbortController();
    const binds = local.requests({ term: { goesOn: true, ended: ending.signal } }).bind(POD, binding());
    ending.abort(new Error('no leader'));
    await expect(binds).rejects.toThrow('no leader');
  });

  it('are made again where they are refused for a while, as often as is wanted', async () => {
    const { metadata } = await local.requests().create(MAP, map({}));
    let failures = 1;
    const store = {
      snapshot: api.store.snapshot.bind(api.store),
      get: (...args: Parameters<typeof api.store.get>) => {
        if (failures-- > 0) throw new StoreUnavailableError('ECONNREFUSED 10.0.0.1', false);
        return api.store.get(...args);
      },
    };
    local = localWith({ store });
    expect(await local.requests().get(MAP)).toMatchObject({ metadata: { uid: metadata?.uid } });
    failures = 1;
    const refused = local.requests({ maxRetries: 0 }).get(MAP);
    await expect(refused).rejects.toMatchObject({ code: 503, message: 'the database is not available' });
  });

  it('ask for a seat once at each attempt, and no more once nobody waits for it', async () => {
    let seats = 0;
    const take = async () => {
      seats++;
      throw tooManyRequests('no seat', 1);
    };
    local = localWith({ seats: { take } });
    await expect(local.requests({ maxRetries: 0 }).get(MAP)).rejects.toMatchObject({ code: 429 });
    expect(seats).toBe(1);
    const stop = new AbortController();
    const replacing = local.requests().replace(MAP, map({}), stop.signal);
    await expect.poll(() => seats).toBe(2);
    const began = performance.now();
    stop.abort();
    await expect(replacing).rejects.toMatchObject({ code: 429 });
    expect([performance.now() - began < 900, seats]).toEqual([true, 2]);
  });

  it('are counted and timed among those over HTTP', async () => {
    const metrics = new Metrics();
    local = localWith({ observer: observerOf(new RequestMetrics(metrics)) });
    await addPod('p');
    await local.requests().bind(POD, binding());
    await expect(local.requests().bind(POD, binding())).rejects.toMatchObject({ code: 409 });
    const informer = local.informer(PODS, EVERYTHING);
    await informer.start();
    await informer.stop();
    const { body } = await metrics.text();
    const pods = 'group="",version="v1",resource="pods"';
    const bound = `${pods},subresource="binding",scope="resource",component="apiserver"`;
    const followed = `${pods},subresource="",scope="cluster",component="apiserver"`;
    for (const line of [
      `apiserver_request_total{verb="POST",dry_run="",${bound},code="201"} 1`,
      `apiserver_request_total{verb="POST",dry_run="",${bound},code="409"} 1`,
      `apiserver_request_duration_seconds_count{verb="POST",dry_run="",${bound}} 2`,
      `apiserver_request_total{verb="LIST",dry_run="",${followed},code="200"} 1`,
      `apiserver_request_total{verb="WATCH",dry_run="",${followed},code="200"} 1`,
    ])
      expect(body).toContain(line);
  });

  it('are 404 for what is not served', async () => {
    const widgets = { group: 'example.com', version: 'v1', resource: 'widgets', namespace: 'default', name: 'w' };
    await expect(local.requests().get(widgets)).rejects.toMatchObject({ code: 404 });
  });
});

describe('an informer within the process', () => {
  it('reads objects in the version that is asked for, and leaves out those that are not wanted', async () => {
    const ended = (object: ApiObject) => (object.status as { phase?: string }).phase === 'Succeeded';
    const informer = local.informer(PODS, { ...EVERYTHING, leavesOut: ended });
    await addPod('p');
    await informer.start();
    expect([...informer.keys()]).toEqual(['default/p']);
    expect(informer.get('default/p')).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
    await local.requests().patch(POD, { status: { phase: 'Succeeded' } }, 'status');
    await expect.poll(() => informer.size).toBe(0);
    await addPod('q');
    await expect.poll(() => [...informer.keys()]).toEqual(['default/q']);
    await informer.stop();
    expect(watches.size).toBe(0);
  });

  it('follows nothing without the rights, and lists again once it has them', async () => {
    const errors: string[] = [];
    const onError = (error: unknown) => void errors.push((error as Error).message);
    refused.add('watch pods');
    const informer = local.informer(PODS, { ...EVERYTHING, onError });
    const started = informer.start();
    await addPod('p');
    await expect.poll(() => errors[0]).toMatch(/cannot watch resource "pods"/);
    expect([informer.hasSynced, watches.size]).toEqual([false, 0]);
    refused.clear();
    await started;
    expect(informer.size).toBe(1);
    // Rights that are lost end it as they end a watch over HTTP.
    for (const verb of ['list', 'watch']) refused.add(`${verb} pods`);
    expect(await watches.reevaluate(({ user, request }) => forbiddenRequest(user, request), { users: ['u'] })).toBe(1);
    await addPod('q');
    await expect.poll(() => errors.at(-1)).toMatch(/cannot list resource "pods"/);
    expect(informer.size).toBe(1);
    refused.clear();
    await expect.poll(() => informer.size, { timeout: 10_000 }).toBe(2);
    await informer.stop();
  });
});
