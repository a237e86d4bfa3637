import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { addReadyNode, startScheduler } from '../support/orch-scheduler.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const SCHEDULER = 'system:kube-scheduler';
const PODS = '/api/v1/namespaces/default/pods';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler';

let dir: string | undefined;
let server: Standalone | undefined;
let api: Api;

afterEach(async () => {
  api?.close();
  await server?.stop();
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  [server, dir] = [undefined, undefined];
});

async function start(...args: string[]): Promise<Standalone> {
  server = await startStandalone({ strangers: [SCHEDULER], args });
  api = new Api(server);
  return server;
}

function written(configuration: object): string {
  dir = mkdtempSync(join(tmpdir(), 'standalone-scheduler-'));
  const file = join(dir, 'scheduler.yaml');
  const head = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
  writeFileSync(file, JSON.stringify({ ...head, ...configuration }));
  return file;
}

async function addPod(name: string, schedulerName = 'default-scheduler'): Promise<void> {
  const containers = [{ name: 'c', image: 'i' }];
  const answer = await api.post(PODS, { metadata: { name }, spec: { containers, schedulerName } });
  expect(answer.status, answer.text).toBe(201);
}

async function podOf(name: string) {
  return (await api.get(`${PODS}/${name}`)).json() as unknown as {
    metadata: { managedFields: { manager: string; subresource?: string }[] };
    spec: { nodeName?: string };
    status: { conditions?: { type: string; reason?: string; message?: string }[] };
  };
}

const nodeOf = async (name: string) => (await podOf(name)).spec.nodeName;

async function holder(): Promise<string | undefined> {
  const lease = (await api.get(LEASE)).json() as unknown as { spec?: { holderIdentity?: string } };
  return lease.spec?.holderIdentity;
}

describe('orch standalone --scheduler', () => {
  test('says why pods wait, and binds them once a node is there', async () => {
    await start('--scheduler=on');
    await addPod('web');
    await expect
      .poll(async () => (await podOf('web')).status.conditions)
      .toMatchObject([{ type: 'PodScheduled', reason: 'Unschedulable', message: /no nodes available/ }]);
    await addReadyNode(api, 'n1');
    await expect.poll(() => nodeOf('web'), { timeout: 20_000 }).toBe('n1');
    expect(await holder()).not.toBe('');
    const { text } = await api.get('/metrics');
    expect(text).toMatch(/^scheduler_schedule_attempts_total\{result="scheduled",profile="default-scheduler"\} 1$/m);
    expect(text).toMatch(/^scheduler_scheduler_cache_size\{type="nodes"\} 1$/m);
  });

  test('follows the file of its configuration', async () => {
    await start('--scheduler=on', `--scheduler-config=${written({ profiles: [{ schedulerName: 'mine' }] })}`);
    await addReadyNode(api, 'n1');
    await addPod('theirs');
    await addPod('mine', 'mine');
    await expect.poll(() => nodeOf('mine'), { timeout: 20_000 }).toBe('n1');
    expect(await nodeOf('theirs')).toBeUndefined();
  });

  test('holds the Lease of all schedulers: another one beside it binds nothing', async () => {
    const leaderElection = { leaseDuration: '3s', renewDeadline: '2s', retryPeriod: '500ms' };
    const file = written({ leaderElection, profiles: [{ schedulerName: 'inside' }] });
    const running = await start('--scheduler=on', `--scheduler-config=${file}`);
    await expect.poll(holder, { timeout: 20_000 }).toBeTruthy();
    const inside = await holder();
    await addReadyNode(api, 'n1');
    const other = await startScheduler(running, { token: SCHEDULER, configuration: { leaderElection } });
    try {
      await addPod('outside');
      await addPod('inside', 'inside');
      await expect.poll(() => nodeOf('inside'), { timeout: 20_000 }).toBe('n1');
      expect([await holder(), await nodeOf('outside')]).toEqual([inside, undefined]);
    } finally {
      await other.stop();
    }
  });

  test('leaves pods alone without it', async () => {
    await start();
    await addReadyNode(api, 'n1');
    await addPod('web');
    expect((await api.get(LEASE)).status).toBe(404);
  });

  test('ends with an error where the file cannot be read', async () => {
    await expect(start('--scheduler=on', '--scheduler-config=/none/such')).rejects.toThrow(/\/none\/such/);
  });
});
