import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXECUTABLE, ManagedProcess } from '../../tools/up/index.js';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';
const PODS = '/api/v1/namespaces/default/pods';
const SELECTED = 'volume.kubernetes.io/selected-node';

let dir: string;
let server: Standalone;
let scheduler: ManagedProcess;
let api: Api;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-scheduler-'));
  server = await startStandalone();
  api = new Api(server);
  for (const name of ['n1', 'n2']) await addNode(name);
  await addClass('local', 'kubernetes.io/no-provisioner');
  await addClass('made', 'csi.example.com');
  scheduler = new ManagedProcess({
    name: 'scheduler',
    command: process.execPath,
    args: [EXECUTABLE, 'scheduler', `--kubeconfig=${server.kubeconfig}`, '--naming=kubernetes'],
    cwd: dir,
    logFile: join(dir, 'scheduler.log'),
    ready: async () => true,
  });
  await scheduler.start();
});

afterAll(async () => {
  await scheduler?.stop();
  api?.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function created(path: string, body: object): Promise<ApiObject> {
  const answer = await api.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json();
}

const read = async (path: string): Promise<ApiObject> => (await api.get(path)).json();

async function addNode(name: string): Promise<void> {
  await created('/api/v1/nodes', { metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }];
  await api.patch(`/api/v1/nodes/${name}/status`, 'merge', {
    status: { allocatable, capacity: allocatable, conditions },
  });
  // Nodes are made with a taint until a controller has seen that they are ready.
  await api.patch(`/api/v1/nodes/${name}`, 'merge', { spec: { taints: null } });
}

const addClass = (name: string, provisioner: string) =>
  created('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name },
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
  });

/** Makes a volume that only one node reaches, and that is free. */
async function addVolume(name: string, storageClassName: string, node: string, storage: string): Promise<void> {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }];
  await created(VOLUMES, {
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      storageClassName,
      local: { path: '/mnt' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
  await api.patch(`${VOLUMES}/${name}/status`, 'merge', { status: { phase: 'Available' } });
}

const addClaim = (name: string, storageClassName: string) =>
  created(CLAIMS, {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
  });

const addPod = (name: string, claimName: string) =>
  created(PODS, {
    metadata: { name },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
    },
  });

/** Binds a claim from its side, as the controller of volumes does. */
async function bindClaim(name: string, volumeName: string): Promise<void> {
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  await api.patch(`${CLAIMS}/${name}`, 'merge', { metadata: { annotations }, spec: { volumeName } });
}

const nodeOf = async (pod: string): Promise<string | undefined> => (await read(`${PODS}/${pod}`)).spec.nodeName;
const holderOf = async (volume: string): Promise<string | undefined> =>
  (await read(`${VOLUMES}/${volume}`)).spec.claimRef?.name;
const messageOf = async (pod: string): Promise<string> => {
  const { conditions = [] } = (await read(`${PODS}/${pod}`)).status;
  return conditions.find(({ type }: { type: string }) => type === 'PodScheduled')?.message ?? '';
};

describe('orch scheduler', () => {
  test('reserves the smallest volume for the claim, and binds the pod once the claim is bound', async () => {
    await addVolume('big', 'local', 'n1', '10Gi');
    await addVolume('small', 'local', 'n2', '1Gi');
    await addClaim('data', 'local');
    await addPod('user', 'data');
    const reserved = async () => (await Promise.all(['big', 'small'].map(holderOf))).filter((name) => name === 'data');
    await expect.poll(reserved).toEqual(['data']);
    const [volume, node] = (await holderOf('small')) === 'data' ? ['small', 'n2'] : ['big', 'n1'];
    expect((await read(`${VOLUMES}/${volume}`)).metadata.annotations).toEqual({
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    expect(await nodeOf('user')).toBeUndefined();
    await bindClaim('data', volume);
    await expect.poll(() => nodeOf('user')).toBe(node);
  });

  test('gives one volume to one of two pods, and tells the other', async () => {
    await addClass('single', 'kubernetes.io/no-provisioner');
    await addVolume('only', 'single', 'n1', '1Gi');
    for (const name of ['first', 'second']) {
      await addClaim(name, 'single');
      await addPod(`${name}-user`, name);
    }
    await expect.poll(() => holderOf('only')).toBeDefined();
    const holder = (await holderOf('only')) as string;
    const other = holder === 'first' ? 'second' : 'first';
    await expect
      .poll(() => messageOf(`${other}-user`))
      .toContain("2 node(s) didn't find available persistent volumes to bind");
    await bindClaim(holder, 'only');
    await expect.poll(() => nodeOf(`${holder}-user`)).toBe('n1');
    await addVolume('more', 'single', 'n2', '1Gi');
    await expect.poll(() => holderOf('more')).toBe(other);
    await bindClaim(other, 'more');
    await expect.poll(() => nodeOf(`${other}-user`)).toBe('n2');
  });

  test('has a volume made for the node that it chooses, and for another where that fails', async () => {
    await addClaim('new', 'made');
    await addPod('maker', 'new');
    const selected = async () => (await read(`${CLAIMS}/new`)).metadata.annotations?.[SELECTED];
    await expect.poll(selected).toMatch(/^n[12]$/);
    // What a provisioner does that has no room there.
    const { resourceVersion } = (await read(`${CLAIMS}/new`)).metadata;
    await api.patch(`${CLAIMS}/new`, 'merge', { metadata: { annotations: { [SELECTED]: null } } });
    await expect
      .poll(() => messageOf('maker'))
      .toMatch(/selectedNode annotation reset|provisioning failed for PVC "new"/);
    await expect.poll(selected).toMatch(/^n[12]$/);
    expect((await read(`${CLAIMS}/new`)).metadata.resourceVersion).not.toBe(resourceVersion);
    const node = await selected();
    await addVolume('fresh', 'made', node ?? '', '1Gi');
    await bindClaim('new', 'fresh');
    await expect.poll(() => nodeOf('maker')).toBe(node);
  });

  test('leaves a pod alone whose claim does not exist, until it does', async () => {
    await addPod('early', 'late');
    await expect.poll(() => messageOf('early')).toContain('persistentvolumeclaim "late" not found');
    await addVolume('waiting', 'local', 'n1', '1Gi');
    await addClaim('late', 'local');
    const claimed = async () => (await Promise.all(['waiting', 'big', 'small'].map(holderOf))).includes('late');
    await expect.poll(claimed).toBe(true);
  });
});
