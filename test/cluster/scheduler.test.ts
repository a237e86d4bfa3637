import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { addReadyNode, askPort, type RunningScheduler, startScheduler } from '../support/orch-scheduler.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const SCHEDULER = 'system:kube-scheduler';
const PODS = '/api/v1/namespaces/default/pods';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler';
/** Times by which another process takes over soon. */
const SHORT = { leaderElection: { leaseDuration: '3s', renewDeadline: '2s', retryPeriod: '500ms' } };

let server: Standalone;
let api: Api;
let running: RunningScheduler[] = [];

beforeAll(async () => {
  server = await startStandalone({ strangers: [SCHEDULER, 'visitor'] });
  api = new Api(server);
  for (const name of ['n1', 'n2', 'n3']) await addReadyNode(api, name);
});
afterEach(async () => {
  await Promise.all(running.map((scheduler) => scheduler.stop()));
  running = [];
  for (const { metadata } of await podsThere()) await api.delete(`${PODS}/${metadata.name}`, { gracePeriodSeconds: 0 });
});
afterAll(async () => {
  api?.close();
  await server?.stop();
});

async function start(settings: Parameters<typeof startScheduler>[1] = {}): Promise<RunningScheduler> {
  const scheduler = await startScheduler(server, { token: SCHEDULER, ...settings });
  running.push(scheduler);
  return scheduler;
}

async function podsThere(): Promise<ApiObject[]> {
  const { items } = (await api.get(PODS)).json() as unknown as { items: ApiObject[] };
  return items;
}

async function addPod(name: string, spec: object = {}, requests = { cpu: '100m' }): Promise<void> {
  const containers = [{ name: 'c', image: 'i', resources: { requests } }];
  const answer = await api.post(PODS, { metadata: { name }, spec: { containers, ...spec } });
  expect(answer.status, answer.text).toBe(201);
}

const nodeOf = async (name: string): Promise<unknown> => {
  const pod = (await api.get(`${PODS}/${name}`)).json() as unknown as { spec: { nodeName?: string } };
  return pod.spec.nodeName;
};

/** Events about a pod, in the form of the core group. */
async function eventsOf(name: string) {
  const selector = encodeURIComponent(`involvedObject.name=${name}`);
  const answer = await api.get(`/api/v1/namespaces/default/events?fieldSelector=${selector}`);
  const { items } = answer.json() as unknown as {
    items: { reason: string; type: string; action: string; message: string; reportingComponent: string }[];
  };
  return items.map(({ reason, type, action, message, reportingComponent: component }) => {
    return { reason, type, action, message, component };
  });
}

describe('orch scheduler', () => {
  test('binds pods, with the rights of system:kube-scheduler, and tells about it in events and conditions', async () => {
    const scheduler = await start();
    await addPod('web');
    await addPod('huge', {}, { cpu: '64' });
    await expect.poll(() => nodeOf('web')).toMatch(/^n[123]$/);
    await expect
      .poll(() => eventsOf('web'))
      .toEqual([
        {
          ...{ reason: 'Scheduled', type: 'Normal', action: 'Binding', component: 'default-scheduler' },
          message: `Successfully assigned default/web to ${await nodeOf('web')}`,
        },
      ]);
    const why =
      '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: ' +
      '3 No preemption victims found for incoming pod..';
    await expect
      .poll(() => eventsOf('huge'))
      .toEqual([
        {
          ...{ reason: 'FailedScheduling', type: 'Warning', action: 'Scheduling', component: 'default-scheduler' },
          message: why,
        },
      ]);
    const { conditions } = (await api.get(`${PODS}/huge`)).json().status as { conditions: object[] };
    expect(conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: why },
    ]);
    expect(scheduler.log()).not.toMatch(/forbidden|"E\d/);
  });

  test('makes room for more important pods, and waits until it is there', async () => {
    const priority = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 1_000,
    };
    await api.post('/apis/scheduling.k8s.io/v1/priorityclasses', priority);
    await start();
    for (const name of ['a', 'b', 'c']) await addPod(name, {}, { cpu: '3' });
    await expect.poll(async () => (await podsThere()).every(isBound)).toBe(true);
    await addPod('important', { priorityClassName: 'high' }, { cpu: '3' });
    const status = async () => (await api.get(`${PODS}/important`)).json().status as { nominatedNodeName?: string };
    await expect.poll(async () => (await status()).nominatedNodeName).toMatch(/^n[123]$/);
    const victims = (await podsThere()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(victims).toHaveLength(1);
    expect(victims[0]?.status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'DisruptionTarget', reason: 'PreemptionByScheduler' }),
      ]),
    });
    expect(await nodeOf('important')).toBeUndefined();
    await api.delete(`${PODS}/${victims[0]?.metadata.name}`, { gracePeriodSeconds: 0 });
    await expect.poll(() => nodeOf('important'), { timeout: 20_000 }).toBe((await status()).nominatedNodeName);
  });

  test('runs in one of several processes, and in another when that is killed', async () => {
    const first = await start({ configuration: SHORT });
    await addPod('before');
    await expect.poll(() => nodeOf('before')).toBeDefined();
    const holder = async () => ((await api.get(LEASE)).json().spec as { holderIdentity: string }).holderIdentity;
    const leader = await holder();
    const second = await start({ configuration: SHORT });
    await addPod('meanwhile');
    await expect.poll(() => nodeOf('meanwhile')).toBeDefined();
    expect(second.log()).not.toContain('this process schedules pods');
    await first.process.kill('SIGKILL');
    await addPod('after');
    await expect.poll(() => nodeOf('after'), { timeout: 20_000 }).toBeDefined();
    expect(second.log()).toContain('this process schedules pods');
    expect(await holder()).not.toBe(leader);
  });

  test('killed among many pods, binds each of them once', async () => {
    const first = await start({ configuration: { leaderElection: { leaderElect: false } } });
    const names = Array.from({ length: 100 }, (_, at) => `many-${at}`);
    await Promise.all(names.map((name) => addPod(name, {}, { cpu: '10m' })));
    await first.process.kill('SIGKILL');
    await start({ configuration: { leaderElection: { leaderElect: false } } });
    await expect.poll(async () => (await podsThere()).filter(isBound).length, { timeout: 20_000 }).toBe(names.length);
    const scheduled = (await podsThere()).map(({ status }) => JSON.stringify(status).match(/"PodScheduled"/g)?.length);
    expect(new Set(scheduled)).toEqual(new Set([1]));
  });

  test('tells about itself to those who may know it', async () => {
    const { port } = await start();
    await addPod('seen');
    await expect.poll(() => nodeOf('seen')).toBeDefined();
    expect(await askPort(port, '/healthz')).toEqual({ status: 200, body: 'ok' });
    expect((await askPort(port, '/metrics')).status).toBe(403);
    expect((await askPort(port, '/metrics', 'visitor')).status).toBe(403);
    expect((await askPort(port, '/metrics', 'nobody')).status).toBe(401);
    const metrics = await askPort(port, '/metrics', server.token);
    expect(metrics.body).toMatch(
      /scheduler_schedule_attempts_total\{result="scheduled",profile="default-scheduler"\} [1-9]/,
    );
    const resources = await askPort(port, '/metrics/resources', server.token);
    expect(resources.body).toMatch(
      /kube_pod_resource_request\{namespace="default",pod="seen",node="n[123]",.*"cpu".*\} 0\.1/,
    );
    const configuration = await askPort(port, '/configz', server.token);
    expect(JSON.parse(configuration.body)).toMatchObject({ componentconfig: { kind: 'KubeSchedulerConfiguration' } });
  });
});

const isBound = ({ spec }: ApiObject): boolean => (spec as { nodeName?: string }).nodeName !== undefined;
