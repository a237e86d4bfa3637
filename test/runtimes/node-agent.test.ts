import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NodeAgent, readAgentOptions } from '@orch/agent';
import { Client, readKubeconfig } from '@orch/client';
import { CriRuntime, ProcessRuntime, type Runtime } from '@orch/container-runtime';
import { namesOf } from '@orch/machinery';
import { systemMounter } from '@orch/pod-environment';
import { silentLogger, systemClock } from '@orch/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { IMAGES, packImages } from './busybox-image.js';
import { Containerd } from './containerd.js';

const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';

interface Opened {
  readonly runtime: Runtime;
  stop(): Promise<void>;
}

/** Opens containerd in namespaces of its own. */
async function openContainerd(dir: string): Promise<Opened> {
  installForNodes('busybox-static');
  const containerd = new Containerd(join(dir, 'containerd'));
  await containerd.start();
  const runtime = new CriRuntime({ socket: containerd.socket });
  return { runtime, stop: () => runtime.close().then(() => containerd.stop()) };
}

/** Opens the runtime whose containers are processes of this machine. */
async function openProcesses(dir: string): Promise<Opened> {
  installForNodes('busybox-static', 'bubblewrap');
  const images = join(dir, 'images');
  packImages(images);
  const onError = (error: Error) => expect.fail(error.message);
  const runtime = await ProcessRuntime.open({ folder: join(dir, 'state'), images, isolation: 'namespaces', onError });
  return { runtime, stop: () => runtime.close() };
}

describe.each([
  ['containerd', openContainerd, 'unix:///containerd.sock', 'pod'],
  ['processes', openProcesses, 'process:', 'node'],
] as const)('an agent on %s', (_name, open, endpoint, network) => {
  const cgroup = `/orch-agent-${process.pid}`;
  let dir: string;
  let server: Standalone;
  let api: Api;
  let opened: Opened;
  let agent: NodeAgent;
  let clients: Client[];

  const get = async (path: string): Promise<ApiObject | undefined> => {
    const { status, text } = await api.get(path);
    return status === 404 ? undefined : (JSON.parse(text) as ApiObject);
  };
  const pod = (name: string) => get(`${PODS}/${name}`);
  const create = async (name: string, script: string, container: object = {}, spec: object = {}) => {
    const body = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
      spec: {
        ...{ nodeName: 'n1', terminationGracePeriodSeconds: 3, automountServiceAccountToken: false },
        containers: [
          { name: 'c', image: IMAGES.busybox, imagePullPolicy: 'Never', command: ['sh', '-c', script], ...container },
        ],
        ...spec,
      },
    };
    expect(await api.post(PODS, body)).toMatchObject({ status: 201 });
  };
  const logOf = async (name: string): Promise<string> => {
    const uid = (await pod(name))?.metadata.uid;
    return readFileSync(join(dir, 'logs', `default_${name}_${uid}`, 'c', '0.log'), 'utf8');
  };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'node-agent-'));
    server = await startStandalone();
    api = new Api(server);
    opened = await open(dir);
    const connection = await readKubeconfig(server.kubeconfig);
    const client = () => new Client(connection, { names: namesOf('kubernetes'), qps: -1 });
    clients = [client(), client(), client()];
    const [pods, heartbeats, events] = clients as [Client, Client, Client];
    const { values: options } = readAgentOptions(
      [
        ...['--naming=kubernetes', '--hostname-override=n1', `--root-dir=${join(dir, 'root')}`],
        ...[
          '--resolv-conf=',
          `--cgroup-root=${cgroup}`,
          '--make-iptables-util-chains=false',
          '--eviction-hard=',
          '--image-gc-high-threshold=100',
        ],
        `--container-runtime-endpoint=${endpoint}`,
      ],
      {},
      () => '',
    );
    agent = await NodeAgent.start({
      ...{ options, clients: { pods, heartbeats, events }, runtime: opened.runtime, mounter: systemMounter },
      ...{ podLogs: join(dir, 'logs'), clock: systemClock, logger: silentLogger },
    });
  });

  afterAll(async () => {
    const { items = [] } = (await get(PODS)) as unknown as { items: ApiObject[] };
    for (const { metadata } of items) await api.delete(`${PODS}/${metadata.name}`);
    while ((await opened.runtime.listSandboxes()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    await agent.stop();
    for (const client of clients) await client.close();
    await opened.stop();
    await server.stop();
    await removeEmptiedGroup(basename(cgroup));
    rmSync(dir, { recursive: true, force: true });
  });

  test('runs a pod with its environment, its volumes and a probe, and ends it', async () => {
    await api.post(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { a: 'of-map' } });
    const volumes = [
      { name: 'cm', configMap: { name: 'cm' } },
      { name: 'work', emptyDir: {} },
    ];
    await create(
      'web',
      'trap "echo bye; exit 0" TERM; echo "$POD $(cat /cm/a)"; echo x > /scratch/ready; while true; do sleep 0.2; done',
      {
        env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        volumeMounts: [
          { name: 'cm', mountPath: '/cm' },
          { name: 'work', mountPath: '/scratch' },
        ],
        resources: { requests: { cpu: '100m' }, limits: { memory: '64Mi' } },
        readinessProbe: { exec: { command: ['cat', '/scratch/ready'] }, periodSeconds: 1 },
      },
      { volumes },
    );
    await expect.poll(async () => (await pod('web'))?.status.containerStatuses?.[0]?.ready).toBe(true);
    const { podIP, hostIP } = (await pod('web'))?.status ?? {};
    expect(podIP === hostIP).toBe(network === 'node');
    await expect.poll(() => logOf('web')).toMatch(/ stdout F web of-map\n/);
    const uid = (await pod('web'))?.metadata.uid;
    expect(
      readFileSync(`/sys/fs/cgroup/memory${cgroup}/kubepods/burstable/pod${uid}/memory.limit_in_bytes`, 'utf8'),
    ).toBe(`${64 * 2 ** 20}\n`);
    expect(readFileSync(`/sys/fs/cgroup/cpu${cgroup}/kubepods/burstable/pod${uid}/cpu.shares`, 'utf8')).toBe('102\n');
    await api.delete(`${PODS}/web`);
    await expect.poll(async () => pod('web')).toBeUndefined();
    await expect.poll(() => readdirSync(join(dir, 'root/pods'))).toEqual([]);
  });

  test('runs a pod that is bound for a label that the node has had for a moment', async () => {
    await expect.poll(async () => (await api.get('/api/v1/nodes/n1')).status).toBe(200);
    const label = { metadata: { labels: { fresh: 'yes' } } };
    expect(await api.patch('/api/v1/nodes/n1', 'merge', label)).toMatchObject({ status: 200 });
    await create('labelled', 'exit 0', {}, { nodeSelector: { fresh: 'yes' }, restartPolicy: 'Never' });
    await expect.poll(async () => (await pod('labelled'))?.status.phase, { timeout: 20_000 }).toBe('Succeeded');
  });

  test('reports how a container ended, with its last words', async () => {
    await create('job', 'echo last words > /dev/termination-log; exit 4', {}, { restartPolicy: 'Never' });
    await expect.poll(async () => (await pod('job'))?.status.phase).toBe('Failed');
    expect((await pod('job'))?.status.containerStatuses[0].state.terminated).toMatchObject({
      ...{ exitCode: 4, reason: 'Error', message: 'last words\n' },
    });
  });

  test('runs init containers first, and restarts what fails', async () => {
    const initContainers = [
      {
        name: 'i',
        image: IMAGES.busybox,
        imagePullPolicy: 'Never',
        command: ['sh', '-c', 'echo 1 > /scratch/done'],
        volumeMounts: [{ name: 'work', mountPath: '/scratch' }],
      },
    ];
    const volumeMounts = [{ name: 'work', mountPath: '/scratch' }];
    await create(
      'again',
      'test -e /scratch/second && exec sleep 1000; cat /scratch/done && touch /scratch/second && exit 1',
      { volumeMounts },
      { initContainers, volumes: [{ name: 'work', emptyDir: {} }] },
    );
    await expect
      .poll(async () => {
        const { phase, containerStatuses } = (await pod('again'))?.status ?? {};
        return [phase, containerStatuses?.[0]?.restartCount, containerStatuses?.[0]?.state?.running !== undefined];
      })
      .toEqual(['Running', 1, true]);
  });

  test('finds everything again after a restart', async () => {
    await create('stays', 'exec sleep 1000');
    await expect.poll(async () => (await pod('stays'))?.status.phase).toBe('Running');
    const id = (await pod('stays'))?.status.containerStatuses[0].containerID;
    await agent.stop();
    const [pods, heartbeats, events] = clients as [Client, Client, Client];
    const settings = Object.assign({}, agent.settings, { clients: { pods, heartbeats, events } });
    agent = await NodeAgent.start(settings);
    await create('next', 'exec sleep 1000');
    await expect.poll(async () => (await pod('next'))?.status.phase).toBe('Running');
    expect((await pod('stays'))?.status.containerStatuses[0].containerID).toBe(id);
  });
});
