import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { NodeAgent, readAgentOptions } from '@orch/agent';
import { Client, readKubeconfig } from '@orch/client';
import { CriRuntime, ProcessRuntime, type Runtime } from '@orch/container-runtime';
import { namesOf } from '@orch/machinery';
import { IptablesChains } from '@orch/node-resources';
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
/** Rounds of the agent's care are 10 s apart. */
const ROUNDS = { timeout: 45_000 };

interface Opened {
  readonly runtime: Runtime;
  stop(): Promise<void>;
}

async function openContainerd(dir: string): Promise<Opened> {
  installForNodes('busybox-static');
  const containerd = new Containerd(join(dir, 'containerd'));
  await containerd.start();
  const runtime = new CriRuntime({ socket: containerd.socket });
  return { runtime, stop: () => runtime.close().then(() => containerd.stop()) };
}

async function openProcesses(dir: string): Promise<Opened> {
  installForNodes('busybox-static', 'bubblewrap');
  const images = join(dir, 'images');
  packImages(images);
  const onError = (error: Error) => expect.fail(error.message);
  const runtime = await ProcessRuntime.open({ folder: join(dir, 'state'), images, isolation: 'namespaces', onError });
  return { runtime, stop: () => runtime.close() };
}

describe.each([
  ['containerd', openContainerd, 'unix:///containerd.sock'],
  ['processes', openProcesses, 'process:'],
] as const)('the care for a node on %s', (_name, open, endpoint) => {
  const cgroup = `/orch-care-${process.pid}`;
  let dir: string;
  let server: Standalone;
  let api: Api;
  let opened: Opened;
  let agent: NodeAgent | undefined;
  let clients: Client[];

  const get = async (path: string) => JSON.parse((await api.get(path)).text) as ApiObject;
  const create = async (name: string, script: string) => {
    const container = { name: 'c', image: IMAGES.busybox, imagePullPolicy: 'Never', command: ['sh', '-c', script] };
    const body = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
      spec: {
        ...{ nodeName: 'n1', terminationGracePeriodSeconds: 1, automountServiceAccountToken: false },
        containers: [container],
      },
    };
    expect(await api.post(PODS, body)).toMatchObject({ status: 201 });
  };
  const startAgent = async (...more: string[]) => {
    const { values: options } = readAgentOptions(
      [
        ...['--naming=kubernetes', '--hostname-override=n1', `--root-dir=${join(dir, 'root')}`, '--resolv-conf='],
        ...[`--cgroup-root=${cgroup}`, `--container-runtime-endpoint=${endpoint}`],
        ...['--make-iptables-util-chains=false', '--image-gc-high-threshold=100', ...more],
      ],
      {},
      () => '',
    );
    const [pods, heartbeats, events] = clients as [Client, Client, Client];
    agent = await NodeAgent.start({
      ...{ options, clients: { pods, heartbeats, events }, runtime: opened.runtime, mounter: systemMounter },
      ...{ podLogs: join(dir, 'logs'), clock: systemClock, logger: silentLogger },
    });
  };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'node-care-'));
    server = await startStandalone();
    api = new Api(server);
    opened = await open(dir);
    const connection = await readKubeconfig(server.kubeconfig);
    const client = () => new Client(connection, { names: namesOf('kubernetes'), qps: -1 });
    clients = [client(), client(), client()];
  });

  afterAll(async () => {
    const { items = [] } = (await get(PODS)) as unknown as { items: ApiObject[] };
    for (const { metadata } of items) await api.delete(`${PODS}/${metadata.name}`);
    while ((await opened.runtime.listSandboxes()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    await agent?.stop();
    for (const client of clients) await client.close();
    await opened.stop();
    await server.stop();
    await removeEmptiedGroup(basename(cgroup));
    rmSync(dir, { recursive: true, force: true });
  });

  test('--container-log-max-size: a log is rotated, and the container goes on in a new one', {
    timeout: 90_000,
  }, async () => {
    await startAgent('--eviction-hard=', '--container-log-max-size=20Ki', '--system-reserved=memory=64Mi');
    await create(
      'noisy',
      'i=0; while true; do i=$((i+1)); [ $i -le 700 ] && echo "line $i of a log that is long"; [ $i -gt 700 ] && { echo more; sleep 1; }; done',
    );
    await expect
      .poll(async () => JSON.stringify((await get(`${PODS}/noisy`)).status), ROUNDS)
      .toContain('"phase":"Running"');
    const logs = join(dir, 'logs', `default_noisy_${(await get(`${PODS}/noisy`)).metadata.uid}`, 'c');
    await expect.poll(() => readdirSync(logs).length, ROUNDS).toBe(2);
    await expect
      .poll(() => existsSync(join(logs, '0.log')) && readFileSync(join(logs, '0.log'), 'utf8'))
      .toMatch(/ F more\n/);
    const rotated = readdirSync(logs).find((name) => name !== '0.log') ?? '';
    expect(readFileSync(join(logs, rotated), 'utf8')).toContain('line 700 of');
  });

  test('--enforce-node-allocatable: all pods together are held to the capacity without what is reserved', () => {
    const unified = existsSync('/sys/fs/cgroup/cgroup.controllers');
    const [controller, file] = unified ? ['', 'memory.max'] : ['memory', 'memory.limit_in_bytes'];
    const limit = Number(readFileSync(join('/sys/fs/cgroup', controller, cgroup, 'kubepods', file), 'utf8'));
    const [, total] = /MemTotal:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
    expect(limit).toBe(Number(total) * 1024 - 64 * 2 ** 20);
  });

  test('measures the node, and the pod that runs', async () => {
    const usage = await agent?.usage.node();
    expect(usage?.memory.availableBytes).toBeGreaterThan(0);
    const uid = (await get(`${PODS}/noisy`)).metadata.uid ?? '';
    const pod = (await agent?.usage.pods())?.get(uid);
    expect(pod?.containers.map(({ name }) => name)).toEqual(['c']);
  });

  test('--eviction-hard above what is free: the pod is evicted, the node says so, and refuses others', {
    timeout: 90_000,
  }, async () => {
    await agent?.stop();
    await startAgent('--eviction-hard=memory.available<99.9%', '--node-status-update-frequency=1s');
    await expect.poll(async () => (await get(`${PODS}/noisy`)).status.reason, ROUNDS).toBe('Evicted');
    const { status } = await get(`${PODS}/noisy`);
    expect(status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/^The node was low on resource: memory\. Threshold quantity: /),
    });
    expect(JSON.stringify(status)).toContain('"reason":"TerminationByKubelet"');
    await expect
      .poll(async () => JSON.stringify((await get('/api/v1/nodes/n1')).status), ROUNDS)
      .toContain('KubeletHasInsufficientMemory');
    await create('late', 'true');
    await expect
      .poll(async () => (await get(`${PODS}/late`)).status.message, ROUNDS)
      .toBe('Pod was rejected: The node had condition: [MemoryPressure]. ');
  });
});

describe('chains of iptables in a network of their own', () => {
  const network = `orch-care-${process.pid}`;
  const inNetwork = async (program: string, args: readonly string[]) =>
    (await promisify(execFile)('ip', ['netns', 'exec', network, program, ...args])).stdout;

  beforeAll(() => execFileSync('ip', ['netns', 'add', network]));
  afterAll(() => execFileSync('ip', ['netns', 'delete', network]));

  test('--make-iptables-util-chains, --iptables-drop-bit, --iptables-masquerade-bit', async () => {
    const make = () =>
      new IptablesChains({ dropBit: 15, masqueradeBit: 14, clock: systemClock, logger: silentLogger, run: inNetwork });
    await make().ensure();
    const nat = await inNetwork('iptables', ['-t', 'nat', '-S']);
    expect(nat).toMatch(/-A KUBE-MARK-DROP -j MARK --(?:set-xmark 0x8000\/0x8000|or-mark 0x8000)/);
    expect(nat).toMatch(/-A KUBE-MARK-MASQ -j MARK --(?:set-xmark 0x4000\/0x4000|or-mark 0x4000)/);
    const all = async () => Promise.all(['nat', 'filter'].map((table) => inNetwork('iptables', ['-t', table, '-S'])));
    const before = await all();
    expect(before[1]).toContain('-A INPUT -j KUBE-FIREWALL');
    await make().ensure();
    expect(await all()).toEqual(before);
    expect(await inNetwork('ip6tables', ['-t', 'nat', '-S'])).toContain('KUBE-POSTROUTING');
  });
});
