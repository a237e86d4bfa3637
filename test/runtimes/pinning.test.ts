import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NodeAgent, readAgentOptions } from '@orch/agent';
import { CriRuntime, ProcessRuntime, type Runtime } from '@orch/container-runtime';
import { systemMounter } from '@orch/pod-environment';
import { silentLogger, systemClock } from '@orch/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { IMAGES, packImages } from './busybox-image.js';
import { Containerd } from './containerd.js';

/** Containers tell again and again where they may run. */
const SCRIPT = 'while true; do grep -E "(Cpus|Mems)_allowed_list" /proc/self/status; sleep 0.1; done';
const SOON = { timeout: 30_000 };

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

// A CPU has to be left beside the one that is reserved.
describe.runIf(availableParallelism() > 1).each([
  ['containerd', openContainerd, 'unix:///containerd.sock'],
  ['processes', openProcesses, 'process:'],
] as const)('CPUs and memory of containers on %s', (_name, open, endpoint) => {
  const cgroup = `/orch-pinning-${process.pid}`;
  let dir: string;
  let opened: Opened;
  let agent: NodeAgent;

  const startAgent = (...more: string[]) => {
    const { values: options } = readAgentOptions(
      [
        ...['--naming=kubernetes', '--hostname-override=n1', `--root-dir=${join(dir, 'root')}`, '--resolv-conf='],
        ...[`--cgroup-root=${cgroup}`, `--container-runtime-endpoint=${endpoint}`, '--eviction-hard='],
        ...['--make-iptables-util-chains=false', '--image-gc-high-threshold=100', '--fail-swap-on=false'],
        ...[`--pod-manifest-path=${join(dir, 'manifests')}`, ...more],
      ],
      {},
      () => '',
    );
    const podLogs = join(dir, 'logs');
    const shared = { clock: systemClock, logger: silentLogger };
    return NodeAgent.start({ options, runtime: opened.runtime, mounter: systemMounter, podLogs, ...shared });
  };
  /** Makes a static pod whose only container has these limits. */
  const create = (name: string, limits: object) => {
    const container = { name: 'c', image: IMAGES.busybox, imagePullPolicy: 'Never', resources: { limits } };
    const spec = {
      terminationGracePeriodSeconds: 1,
      containers: [{ ...container, command: ['sh', '-c', SCRIPT] }],
    };
    writeFileSync(
      join(dir, 'manifests', `${name}.json`),
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }),
    );
  };
  /** The last values that a container has told. */
  const told = (name: string, list: 'Cpus' | 'Mems'): string | undefined => {
    const folder = readdirSync(join(dir, 'logs')).find((each) => each.startsWith(`default_${name}-n1_`));
    const log = folder === undefined ? '' : readFileSync(join(dir, 'logs', folder, 'c/0.log'), 'utf8');
    return [...log.matchAll(new RegExp(`${list}_allowed_list:\\s*(\\S+)\\n`, 'g'))].at(-1)?.[1];
  };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'pinning-'));
    mkdirSync(join(dir, 'manifests'));
    mkdirSync(join(dir, 'logs'));
    opened = await open(dir);
    agent = await startAgent(
      ...['--cpu-manager-policy=static', '--system-reserved=cpu=500m,memory=64Mi', '--cpu-manager-reconcile-period=1s'],
      ...['--memory-manager-policy=Static', '--reserved-memory=0:memory=64Mi'],
    );
  });

  afterAll(async () => {
    for (const name of readdirSync(join(dir, 'manifests'))) rmSync(join(dir, 'manifests', name));
    await waitUntil('no sandbox is left', 30_000, async () => (await opened.runtime.listSandboxes()).length === 0);
    await agent.stop();
    await opened.stop();
    await removeEmptiedGroup(basename(cgroup));
    rmSync(dir, { recursive: true, force: true });
  });

  const state = () => JSON.parse(readFileSync(join(dir, 'root/cpu_manager_state'), 'utf8'));

  test('--cpu-manager-policy=static: a Guaranteed container has its CPU for itself, and others leave it', async () => {
    const all = readFileSync('/sys/devices/system/cpu/online', 'utf8').trim();
    create('shared', {});
    await expect.poll(() => told('shared', 'Cpus'), SOON).toBe(all);
    create('own', { cpu: '1', memory: '64Mi' });
    await expect.poll(() => told('own', 'Cpus'), SOON).toBe('1');
    await expect.poll(() => told('shared', 'Cpus'), SOON).toBe(state().defaultCpuSet);
    expect(state().defaultCpuSet).not.toBe(all);
  });

  test('--memory-manager-policy=Static: its memory is on one NUMA node', () => {
    expect(told('own', 'Mems')).toBe('0');
  });

  test('a container that ends gives its CPU back', async () => {
    const all = readFileSync('/sys/devices/system/cpu/online', 'utf8').trim();
    rmSync(join(dir, 'manifests/own.json'));
    await expect.poll(() => told('shared', 'Cpus'), SOON).toBe(all);
    expect(state().entries).toBeUndefined();
  });

  test('what is not reserved is refused with the name of the option', async () => {
    await expect(startAgent('--cpu-manager-policy=static')).rejects.toThrow('--cpu-manager-policy: ');
    await expect(startAgent('--memory-manager-policy=Static')).rejects.toThrow('--cpu-manager-policy: ');
  });
});
