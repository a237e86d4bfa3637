import { labelSelectorOf } from '@orch/machinery';
import { type Key, UnreadableBodyError } from '@orch/storage';
import { leavingOut, MemoryStore, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServedParams } from './served-params.js';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const CLASS = { apiVersion: 'scheduling.orch.io/v1', kind: 'PriorityClass' };
const SCALER = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler' };

let api: TestApi;
let params: ServedParams;
beforeEach(async () => {
  api = await testApi({}, 'orch', new MemoryStore());
  params = new ServedParams();
});
afterEach(() => {
  params.stop();
  api.close();
});

function start(isUnreadable = (_key: Key) => false): void {
  const { deps, feed, store } = api;
  const onError = (error: unknown) => {
    if (!(error instanceof UnreadableBodyError)) throw error;
  };
  const source = {
    ...leavingOut(store, isUnreadable),
    onCommit: store.onCommit.bind(store),
    onRewind: () => () => undefined,
  };
  params.start({ deps, store: source, feed, onError });
}
const later = () => performance.now() + 60_000;
const find = async (kind: typeof CLASS, namespace: string, name: string) => params.find(kind, namespace, name, later());

test('objects of a kind are found once they are loaded, by namespace and name', async () => {
  await api.create('configmaps', { metadata: { name: 'a' }, data: { x: '1' } });
  await api.create('priorityclasses', { metadata: { name: 'c' }, value: 7 });
  params.follow([CONFIG_MAP, CLASS]);
  start();
  expect(await find(CONFIG_MAP, 'default', 'a')).toMatchObject({ ...CONFIG_MAP, data: { x: '1' } });
  expect(await find(CLASS, '', 'c')).toMatchObject({ ...CLASS, value: 7 });
  expect(await find(CONFIG_MAP, '', 'a')).toBeUndefined();
  expect(await find(CLASS, 'default', 'c')).toBeUndefined();
});

test('one that cannot be read is not taken for one that there is not', async () => {
  for (const name of ['a', 'b']) await api.create('configmaps', { metadata: { name, labels: { app: 'y' } } });
  params.follow([CONFIG_MAP]);
  start(({ name }) => name === 'b');
  expect(await find(CONFIG_MAP, 'default', 'a')).toBeDefined();
  expect(await find(CONFIG_MAP, 'default', 'c')).toBeUndefined();
  const refusal = { code: 500, message: 'Internal error occurred: unable to read things: no key' };
  await expect(find(CONFIG_MAP, 'default', 'b')).rejects.toMatchObject(refusal);
  const select = async (namespace: string) =>
    params.select(CONFIG_MAP, namespace, labelSelectorOf({ matchLabels: { app: 'x' } }), later());
  await expect(select('default')).rejects.toMatchObject(refusal);
  expect(await select('other')).toEqual([]);
});

test('objects with labels are found in one place, by name', async () => {
  for (const name of ['b', 'c', 'a']) {
    const labels = { app: name === 'c' ? 'x' : 'y' };
    await api.create('configmaps', { metadata: { name, labels } });
    await api.create('priorityclasses', { metadata: { name, labels }, value: 7 });
  }
  params.follow([CONFIG_MAP, CLASS]);
  start();
  const selector = labelSelectorOf({ matchLabels: { app: 'y' } });
  const select = async (kind: typeof CLASS, namespace: string) =>
    (await params.select(kind, namespace, selector, later())).map((object) => object.metadata?.name);
  expect(await select(CONFIG_MAP, 'default')).toEqual(['a', 'b']);
  expect(await select(CLASS, '')).toEqual(['a', 'b']);
  await api.create('configmaps', { metadata: { name: 'aa', labels: { app: 'y' } } });
  expect(await select(CONFIG_MAP, 'default')).toEqual(['a', 'aa', 'b']);
  expect(await select(CONFIG_MAP, 'default')).toEqual(['a', 'aa', 'b']);
  expect(await select(CONFIG_MAP, '')).toEqual([]);
  expect(await select({ apiVersion: 'example.com/v1', kind: 'Limit' }, '')).toEqual([]);
  expect([CONFIG_MAP, CLASS].map((kind) => params.isNamespaced(kind))).toEqual([true, false]);
});

test('who has written one through this process is judged by it', async () => {
  params.follow([CONFIG_MAP]);
  start();
  expect(await find(CONFIG_MAP, 'default', 'a')).toBeUndefined();
  await api.create('configmaps', { metadata: { name: 'a' } });
  const found = await find(CONFIG_MAP, 'default', 'a');
  expect(found).toMatchObject({ metadata: { name: 'a' } });
  expect(params.find(CONFIG_MAP, 'default', 'a', later())).toBe(found);
});

test('they come in the version that is named', async () => {
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 2, targetCPUUtilizationPercentage: 5 };
  await api.create('horizontalpodautoscalers', { ...SCALER, metadata: { name: 'h' }, spec } as never);
  params.follow([SCALER]);
  start();
  expect(await find(SCALER, 'default', 'h')).toMatchObject({ apiVersion: 'autoscaling/v1' });
});

test('what is not served, or is not stored, is no kind; what nobody names is not followed', async () => {
  start();
  const review = { apiVersion: 'authorization.orch.io/v1', kind: 'SubjectAccessReview' };
  const nothing = { apiVersion: 'example.com/v1', kind: 'Limit' };
  expect([CONFIG_MAP, review, nothing].map((kind) => params.isNamespaced(kind))).toEqual([true, undefined, undefined]);
  await api.create('configmaps', { metadata: { name: 'a' } });
  expect(await find(CONFIG_MAP, 'default', 'a')).toBeUndefined();
  params.follow([CONFIG_MAP]);
  expect(await find(CONFIG_MAP, 'default', 'a')).toBeDefined();
  const { served } = api;
  const [endpoints, isConfigMap] = [served.current.endpoints, api.endpoint('configmaps')];
  served.replace(endpoints.filter((endpoint) => endpoint !== isConfigMap));
  expect(params.isNamespaced(CONFIG_MAP)).toBeUndefined();
  served.replace(endpoints);
  expect(await find(CONFIG_MAP, 'default', 'a')).toBeDefined();
});

test('it takes no longer than the request may', async () => {
  params.follow([CONFIG_MAP]);
  const { deps, feed } = api;
  const never = () => new Promise<never>(() => undefined);
  const onError = () => undefined;
  const store = { snapshot: never, get: never, onCommit: () => () => undefined, onRewind: () => () => undefined };
  params.start({ deps, store, feed, onError });
  await expect(params.find(CONFIG_MAP, 'default', 'a', performance.now() + 1)).rejects.toMatchObject({
    code: 504,
    message: 'the objects of kind ConfigMap could not be loaded in time',
  });
});
