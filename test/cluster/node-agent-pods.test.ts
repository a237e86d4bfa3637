import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeAgent, readAgentOptions } from '@orch/agent';
import { Client, readKubeconfig } from '@orch/client';
import { FakeRuntime } from '@orch/container-runtime/testing';
import { namesOf } from '@orch/machinery';
import { systemMounter } from '@orch/pod-environment';
import { silentLogger, systemClock } from '@orch/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const NODE = '/api/v1/nodes/n1';
const PODS = '/api/v1/namespaces/default/pods';

let dir: string;
let server: Standalone;
let api: Api;
let agent: NodeAgent;
let runtime: FakeRuntime;
let clients: Client[];

const get = async (path: string): Promise<ApiObject | undefined> => {
  const { status, text } = await api.get(path);
  return status === 404 ? undefined : (JSON.parse(text) as ApiObject);
};
const pod = (name: string) => get(`${PODS}/${name}`);
const conditionsOf = (object: ApiObject | undefined): Record<string, string> =>
  Object.fromEntries(
    (object?.status?.conditions ?? []).map((condition: Record<string, string>) => [condition.type, condition.status]),
  );
const podBody = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: 'n1',
    terminationGracePeriodSeconds: 5,
    containers: [{ name, image: 'busybox', imagePullPolicy: 'IfNotPresent' }],
    ...spec,
  },
});
const create = async (name: string, spec: object = {}) =>
  expect((await api.post(PODS, podBody(name, spec))).status).toBe(201);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'node-agent-'));
  const rootCa = join(dir, 'root-ca.crt');
  writeFileSync(rootCa, 'a certificate');
  server = await startStandalone({ args: [`--root-ca-file=${rootCa}`] });
  api = new Api(server);
  runtime = new FakeRuntime();
  runtime.images.add({ name: 'busybox:latest' });
  const { values: options } = readAgentOptions(
    [
      '--naming=kubernetes',
      '--hostname-override=n1',
      `--root-dir=${join(dir, 'root')}`,
      `--pod-manifest-path=${join(dir, 'manifests')}`,
      '--cgroups-per-qos=false',
      '--enforce-node-allocatable=none',
      '--cluster-dns=10.0.0.10',
      '--cluster-domain=cluster.local',
      '--node-status-update-frequency=1s',
      '--make-iptables-util-chains=false',
      '--image-gc-high-threshold=100',
      '--eviction-hard=',
      '--node-labels=example.com/x=1',
      '--file-check-frequency=1s',
    ],
    {},
    () => '',
  );
  const connection = await readKubeconfig(server.kubeconfig);
  const client = () => new Client(connection, { names: namesOf('kubernetes'), qps: -1 });
  clients = [client(), client(), client()];
  const [pods, heartbeats, events] = clients as [Client, Client, Client];
  agent = await NodeAgent.start({
    options,
    clients: { pods, heartbeats, events },
    runtime,
    mounter: systemMounter,
    podLogs: join(dir, 'logs'),
    clock: systemClock,
    logger: silentLogger,
  });
});

afterAll(async () => {
  await agent.stop();
  for (const client of clients) await client.close();
  await server.stop();
  // Pods go on when their agent stops, and so do their volumes in memory.
  for (const place of (await systemMounter.mountsBelow(dir)).reverse()) await systemMounter.unmount(place);
  rmSync(dir, { recursive: true, force: true });
});

test('a node is registered, becomes ready and holds its lease', async () => {
  await expect.poll(async () => conditionsOf(await get(NODE)).Ready).toBe('True');
  const node = await get(NODE);
  expect(node?.metadata.labels).toMatchObject({
    'kubernetes.io/hostname': 'n1',
    'kubernetes.io/os': 'linux',
    'example.com/x': '1',
  });
  expect(node?.status.nodeInfo.containerRuntimeVersion).toBe('fake://1.0.0');
  expect(Number(node?.status.capacity.pods)).toBe(110);
  await expect
    .poll(
      async () =>
        (await get('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1'))?.spec?.holderIdentity,
    )
    .toBe('n1');
});

test('a pod runs with its token, is restarted, and goes', async () => {
  await create('web');
  await expect.poll(async () => conditionsOf(await pod('web')).Ready).toBe('True');
  const { config } = runtime.container('web').request;
  const env = Object.fromEntries((config.env ?? []).map(({ name, value }) => [name, value]));
  expect(env.KUBERNETES_SERVICE_HOST).toMatch(/^\d+\./);
  const token = config.mounts?.find(
    ({ containerPath }) => containerPath === '/var/run/secrets/kubernetes.io/serviceaccount',
  );
  expect(token?.readOnly).toBe(true);
  expect(readFileSync(join(token?.hostPath ?? '', 'token'), 'utf8').split('.')).toHaveLength(3);
  expect(readFileSync(join(token?.hostPath ?? '', 'namespace'), 'utf8')).toBe('default');
  const hosts = config.mounts?.find(({ containerPath }) => containerPath === '/etc/hosts');
  expect(readFileSync(hosts?.hostPath ?? '', 'utf8')).toContain('\tweb\n');
  runtime.container('web').exit(1);
  await expect.poll(async () => (await pod('web'))?.status.containerStatuses[0].restartCount).toBe(1);
  const events = async () => ((await get('/api/v1/namespaces/default/events'))?.items ?? []) as ApiObject[];
  await expect
    .poll(async () =>
      (await events())
        .filter(({ involvedObject }: ApiObject) => involvedObject.name === 'web')
        .map(({ reason }: ApiObject) => reason),
    )
    .toEqual(expect.arrayContaining(['Pulled', 'Created', 'Started']));
  expect((await api.delete(`${PODS}/web`)).status).toBe(200);
  await expect.poll(async () => pod('web')).toBeUndefined();
  await expect.poll(async () => readdirSync(join(dir, 'root/pods'))).toEqual([]);
  await expect.poll(async () => readdirSync(join(dir, 'logs'))).toEqual([]);
});

test('a pod that ends stays, with how it ended', async () => {
  runtime.programs.set('job', { exitAfter: 100, exitCode: 3 });
  await create('job', { restartPolicy: 'Never' });
  await expect.poll(async () => (await pod('job'))?.status.phase).toBe('Failed');
  expect((await pod('job'))?.status.containerStatuses[0].state.terminated).toMatchObject({
    exitCode: 3,
    reason: 'Error',
  });
  expect((await api.delete(`${PODS}/job`)).status).toBe(200);
  await expect.poll(async () => pod('job')).toBeUndefined();
});

test('a pod waits for a ConfigMap that it needs', async () => {
  const volume = { name: 'cm', configMap: { name: 'late' } };
  const container = {
    name: 'waiting',
    image: 'busybox',
    imagePullPolicy: 'IfNotPresent',
    volumeMounts: [{ name: 'cm', mountPath: '/cm' }],
  };
  await create('waiting', { volumes: [volume], containers: [container] });
  await expect
    .poll(async () => JSON.stringify((await get('/api/v1/namespaces/default/events'))?.items ?? []))
    .toContain('MountVolume.SetUp failed for volume \\"cm\\" : configmap \\"late\\" not found');
  const late = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' }, data: { a: '1' } };
  await api.post('/api/v1/namespaces/default/configmaps', late);
  await expect.poll(async () => (await pod('waiting'))?.status.phase, { timeout: 60_000 }).toBe('Running');
  const mount = runtime
    .container('waiting')
    .request.config.mounts?.find(({ containerPath }) => containerPath === '/cm');
  expect(readFileSync(join(mount?.hostPath ?? '', 'a'), 'utf8')).toBe('1');
});

test('a static pod is shown by a mirror, which comes again', async () => {
  const manifest = join(dir, 'manifests');
  const spec = { containers: [{ name: 'static', image: 'busybox', imagePullPolicy: 'IfNotPresent' }] };
  writeFileSync(manifest, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'static' }, spec }));
  const mirror = () => pod('static-n1');
  await expect.poll(async () => (await mirror())?.status.phase).toBe('Running');
  const first = await mirror();
  expect(first?.metadata).toMatchObject({ ownerReferences: [{ kind: 'Node', name: 'n1', controller: true }] });
  const annotations = first?.metadata.annotations ?? {};
  expect(annotations['kubernetes.io/config.mirror']).toBe(annotations['kubernetes.io/config.hash']);
  await api.delete(`${PODS}/static-n1`, { gracePeriodSeconds: 0 });
  await expect.poll(async () => (await mirror())?.metadata.uid).not.toBe(first?.metadata.uid);
  await expect.poll(async () => (await mirror())?.status?.phase).toBe('Running');
  expect(runtime.container('static').state).toBe('running');
  unlinkSync(manifest);
  await expect.poll(mirror).toBeUndefined();
  await expect
    .poll(async () => (await runtime.listContainers()).filter(({ metadata }) => metadata.name === 'static'))
    .toEqual([]);
});
