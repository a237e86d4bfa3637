import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManagedProcess } from '../../../tools/up/index.js';
import type { ApiObject } from '../../support/api.js';
import type { Cluster } from '../cluster.js';
import { NODES } from '../place.js';
import { Stage } from '../stage.js';
import { complaints } from './complaints.js';
import { DAY_IMAGES } from './images.js';
import { startMetricsServer } from './metrics-server.js';
import { Visitor } from './visitor.js';
import { busy, everywhere, keeper, minutely, NAMESPACE, page } from './workloads.js';

const START_MS = 600_000;
const TEST_MS = 600_000;
/** Longer than the time after which a node that is silent counts as lost. */
const POLL = { timeout: 300_000, interval: 500 };
const [NEAR, FAR] = [NODES[0].name, NODES[1].name];
/** Times at which the CronJob is to have run, at least. */
const RUNS = 3;

const stage = new Stage();
let cluster: Cluster;
let visitor: Visitor;
let metricsServer: ManagedProcess | undefined;
const others: ManagedProcess[] = [];

const kubectl = (...args: readonly string[]): Promise<string> => cluster.run('kubectl', '-n', NAMESPACE, ...args);
const get = async (path: string): Promise<ApiObject> => (await cluster.api.get(path)).json();
const podsOf = async (app: string): Promise<readonly ApiObject[]> =>
  (await cluster.pods(NAMESPACE)).filter(({ metadata }) => metadata.labels?.app === app);
const nodesOf = async (app: string): Promise<readonly string[]> =>
  (await podsOf(app)).map(({ spec }) => spec.nodeName).sort();
const jobs = (): Promise<readonly ApiObject[]> => cluster.list(`/apis/batch/v1/namespaces/${NAMESPACE}/jobs`);
const isReady = async (node: string): Promise<string> => {
  const { status } = await get(`/api/v1/nodes/${node}`);
  return status.conditions.find(({ type }: { type: string }) => type === 'Ready')?.status;
};

beforeAll(async () => {
  cluster = await stage.start();
  await cluster.kubectl.ok(['create', 'namespace', NAMESPACE]);
  metricsServer = await startMetricsServer(cluster);
  others.push(metricsServer);
  await cluster.apply(...page(DAY_IMAGES.first), everywhere, minutely, keeper(DAY_IMAGES.first));
  await cluster.settle(NAMESPACE);
  const { spec } = await get(`/api/v1/namespaces/${NAMESPACE}/services/page`);
  visitor = new Visitor(`http://${spec.clusterIP}/`);
}, START_MS);

afterAll(async () => {
  await visitor?.stop();
  for (const each of others) await each.stop();
  await stage.stop();
}, START_MS);

describe('a day of a cluster of two nodes', { timeout: TEST_MS }, () => {
  test('a Deployment is rolled to its next release, and back', async () => {
    await cluster.apply(...page(DAY_IMAGES.second));
    await kubectl('rollout', 'status', 'deployment/page', '--timeout=240s');
    await kubectl('rollout', 'undo', 'deployment/page');
    await kubectl('rollout', 'status', 'deployment/page', '--timeout=240s');
    await expect.poll(() => visitor.answers.size, POLL).toBe(2);
  });

  test('an autoscaler adds pods while they have much to do, and takes them away afterwards', async () => {
    await cluster.apply(...busy);
    await expect.poll(async () => (await podsOf('busy')).length, POLL).toBe(3);
    await cluster.settle(NAMESPACE);
    const { stdout } = await cluster.kubectl.run(['-n', NAMESPACE, 'top', 'pods', '-l', 'app=busy', '--no-headers']);
    expect(stdout).toMatch(/^busy-\S+ +\d+m +\d+Mi/);
    for (const { metadata } of await podsOf('busy')) await kubectl('exec', metadata.name, '--', 'touch', '/tmp/calm');
    await expect.poll(async () => (await podsOf('busy')).length, POLL).toBe(1);
    await kubectl('delete', 'deployment/busy', 'horizontalpodautoscaler/busy');
  });

  test('pods of a StatefulSet keep their volumes, one after the other', async () => {
    const starts = async (pod: string) => (await kubectl('exec', pod, '--', 'cat', '/data/starts')).trim().split('\n');
    expect(await starts('keeper-0')).toEqual(['keeper-0']);
    await kubectl('delete', 'pod', 'keeper-0');
    await cluster.settle(NAMESPACE);
    expect(await starts('keeper-0')).toEqual(['keeper-0', 'keeper-0']);
    await cluster.apply(keeper(DAY_IMAGES.second));
    await kubectl('rollout', 'status', 'statefulset/keeper', '--timeout=240s');
    expect([await starts('keeper-0'), await starts('keeper-1')]).toEqual([
      ['keeper-0', 'keeper-0', 'keeper-0'],
      ['keeper-1', 'keeper-1'],
    ]);
    await kubectl('scale', 'statefulset/keeper', '--replicas=0');
    await expect.poll(async () => (await podsOf('keeper')).length, POLL).toBe(0);
    const claims = await cluster.list(`/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`);
    expect(claims.map(({ status }) => status.phase)).toEqual(['Bound', 'Bound']);
  });

  test('a node is drained, and takes pods again', async () => {
    expect(new Set(await nodesOf('page')).size).toBe(2);
    await kubectl('drain', FAR, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=300s');
    await cluster.settle(NAMESPACE);
    expect(await nodesOf('page')).toEqual([NEAR, NEAR, NEAR]);
    expect(await nodesOf('everywhere')).toEqual([NEAR, FAR]);
    await kubectl('uncordon', FAR);
    await kubectl('rollout', 'restart', 'deployment/page');
    await kubectl('rollout', 'status', 'deployment/page', '--timeout=240s');
    await expect.poll(async () => new Set(await nodesOf('page')).size, POLL).toBe(2);
  });

  test('a node is lost, its pods are made elsewhere, and it comes back', async () => {
    const far = cluster.nodes.find(({ name }) => name === FAR);
    const before = (await podsOf('page')).map(({ metadata }) => metadata.name);
    await far?.kill();
    await expect.poll(() => isReady(FAR), POLL).toBe('Unknown');
    const running = async () =>
      (await podsOf('page')).filter(({ metadata, spec }) => !metadata.deletionTimestamp && spec.nodeName === NEAR)
        .length;
    await expect.poll(running, POLL).toBe(3);
    await far?.comeBack();
    await cluster.settle(NAMESPACE);
    const after = (await podsOf('page')).map(({ metadata }) => metadata.name);
    expect(after).toHaveLength(3);
    expect(after).not.toEqual(before);
    expect((await get(`/api/v1/nodes/${FAR}`)).spec.taints ?? []).toEqual([]);
  });

  test('a CronJob has run every minute, and keeps its last jobs', async () => {
    const finished = async () => (await jobs()).filter(({ status }) => status.succeeded === 1).length;
    const { metadata } = await get(`/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs/minutely`);
    const uid = metadata.uid;
    const events = `/api/v1/namespaces/${NAMESPACE}/events?fieldSelector=involvedObject.uid=${uid},reason=SuccessfulCreate`;
    await expect.poll(async () => (await cluster.list(events)).length, POLL).toBeGreaterThanOrEqual(RUNS);
    await expect.poll(finished, POLL).toBe(2);
  });

  test('nobody was refused the page, and no program has complained of the API', async () => {
    await visitor.stop();
    expect([...visitor.answers.keys()].sort()).toEqual(['1', '2']);
    expect(visitor.failures).toEqual([]);
    expect(complaints([...stage.processes, ...others])).toEqual([]);
  });
});
