import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerConfig, SandboxConfig } from '@orch/container-runtime';
import { FakeRuntime } from '@orch/container-runtime/testing';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAgentOptions } from '../options/read-configuration.js';
import { NO_MOUNTS } from '../testing/test-agent.js';
import type { AgentClients } from './agent-settings.js';
import { NodeAgent } from './node-agent.js';

let folder = '';
let agent: NodeAgent | undefined;
let clock: ManualClock;
let runtime: FakeRuntime;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'effects-'));
  await mkdir(join(folder, 'manifests'));
  await mkdir(join(folder, 'cgroup'));
  clock = new ManualClock();
  runtime = new FakeRuntime({ clock });
  runtime.images.add({ name: 'busybox:latest' });
});
afterEach(async () => {
  await agent?.stop();
  agent = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Starts an agent on a runtime in memory, on a folder that looks like control groups; its clock stands still. */
async function start(args: readonly string[], clients?: Partial<AgentClients>): Promise<NodeAgent> {
  const { values: options } = readAgentOptions(
    [
      ...['--naming=kubernetes', '--hostname-override=n', `--root-dir=${join(folder, 'root')}`, '--resolv-conf='],
      `--pod-logs-dir=${join(folder, 'logs')}`,
      // These are of the machine, or of the process of the test.
      ...['--oom-score-adj=0', '--fail-swap-on=false', '--make-iptables-util-chains=false', '--eviction-hard='],
      ...[`--pod-manifest-path=${join(folder, 'manifests')}`, '--image-gc-high-threshold=100', ...args],
    ],
    {},
    () => '',
  );
  agent = await NodeAgent.start({
    ...{ options, runtime, mounter: NO_MOUNTS, cgroupMount: join(folder, 'cgroup') },
    ...{ clock, logger: silentLogger },
    ...(clients && { clients: clients as AgentClients }),
  });
  return agent;
}

const manifest = (name: string, spec: object = {}, container: object = {}) =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
    spec: { containers: [{ name, image: 'busybox', imagePullPolicy: 'IfNotPresent', ...container }], ...spec },
  });
const put = (name: string, text = manifest(name)) => writeFile(join(folder, 'manifests', `${name}.json`), text);
const cgroup = (...path: string[]) => readFile(join(folder, 'cgroup', ...path), 'utf8');

/** Settings of the containers that were made, by their name. */
async function made(name: string): Promise<ContainerConfig> {
  const find = () =>
    runtime.faults.calls
      .filter(({ method }) => method === 'createContainer')
      .map(({ args }) => (args[0] as { config: ContainerConfig }).config)
      .find(({ metadata }) => metadata.name === name);
  await expect
    .poll(
      async () => {
        await clock.advance(10);
        return find()?.metadata.name;
      },
      { timeout: 10_000 },
    )
    .toBe(name);
  return find() as ContainerConfig;
}

const LIMITS = { resources: { limits: { cpu: '500m', memory: '1Mi' }, requests: { cpu: '250m', memory: '1Mi' } } };
const uid = (name: string) =>
  agent?.pods().find(({ metadata }) => metadata?.name === `${name}-n`)?.metadata?.uid ?? 'none';

describe('the node', () => {
  it('--max-pods and --pods-per-core: so many pods run, and the next ones are refused', async () => {
    for (const name of ['a', 'b', 'c']) await put(name);
    const { node } = await start(['--max-pods=2']);
    expect(node.object.status?.capacity?.pods).toBe('2');
    await expect
      .poll(async () => {
        await clock.advance(10);
        const reasons = agent?.pods().map(({ status }) => status?.reason);
        return reasons?.sort();
      })
      .toEqual(['OutOfpods', undefined, undefined]);
    await agent?.stop();
    const cores = availableParallelism();
    expect((await start(['--pods-per-core=1'])).node.object.status?.capacity?.pods).toBe(String(cores));
    await agent?.stop();
    expect((await start(['--pods-per-core=9', '--max-pods=1'])).node.object.status?.capacity?.pods).toBe('1');
  });

  it('--hostname-override is its name, in lower case', async () => {
    expect((await start(['--hostname-override=Other'])).node.initial().metadata?.name).toBe('other');
  });

  it('--node-status-max-images: it tells of so many images; -1 for all', async () => {
    for (const name of ['b', 'c', 'd']) runtime.images.add({ name });
    const count = async (most: number) =>
      (await (await start([`--node-status-max-images=${most}`])).node.status()).images?.length;
    expect(await count(2)).toBe(2);
    await agent?.stop();
    expect(await count(-1)).toBe(4);
  });

  it('--enable-controller-attach-detach is its annotation', async () => {
    const name = 'volumes.kubernetes.io/controller-managed-attach-detach';
    expect((await start([])).node.initial().metadata?.annotations).toEqual({ [name]: 'true' });
    await agent?.stop();
    expect(
      (await start(['--enable-controller-attach-detach=false'])).node.initial().metadata?.annotations,
    ).toBeUndefined();
  });

  it('--local-storage-capacity-isolation=false: its storage is no resource', async () => {
    expect((await start([])).node.object.status?.capacity).toHaveProperty('ephemeral-storage');
    await agent?.stop();
    const { node } = await start(['--local-storage-capacity-isolation=false']);
    expect(node.object.status?.capacity).not.toHaveProperty('ephemeral-storage');
  });

  it('--node-status-update-frequency: its status is computed each time', async () => {
    let reads = 0;
    const object = { metadata: { name: 'n', uid: 'u' } };
    const api = {
      create: async () => object,
      patch: async () => object,
      get: async (ref: { resource: string }) => {
        if (ref.resource === 'nodes') reads++;
        return object;
      },
      update: async () => object,
      names: { group: (name: string) => name },
    };
    await start(['--node-status-update-frequency=7s', '--node-status-report-frequency=1h'], {
      heartbeats: api as never,
      ...unreachable(),
    });
    await expect
      .poll(async () => {
        await clock.advance(0);
        return reads;
      })
      .toBe(1);
    await clock.advance(6_900);
    expect(reads).toBe(1);
    await expect
      .poll(
        async () => {
          await clock.advance(100);
          return reads;
        },
        { timeout: 10_000 },
      )
      .toBe(2);
  });

  it('--event-qps and --event-burst bound its events', async () => {
    const events: unknown[] = [];
    const create = async (_ref: unknown, event: object) => {
      events.push(event);
      return event;
    };
    for (let index = 0; index < 6; index++) await put(`p${index}`);
    await start(['--event-burst=3', '--event-qps=1'], { ...unreachable(), events: { create, names: NAMES } as never });
    for (let index = 0; index < 6; index++) await made(`p${index}`);
    // A second may have passed while they were made.
    const before = events.length;
    expect(before).toBeGreaterThanOrEqual(3);
    expect(before).toBeLessThanOrEqual(3 + Math.ceil(clock.now() / 1_000));
  });
});

const NAMES = { group: (name: string) => name, key: (name: string) => name };

/** Clients of an API that cannot be reached. */
function unreachable(): { pods: never; events: never } {
  const fail = () => Promise.reject(new Error('unreachable'));
  const client = { get: fail, list: fail, create: fail, patch: fail, update: fail, delete: fail, names: NAMES };
  const streams = { pages: nothing, watch: nothing };
  return { pods: { ...client, ...streams } as never, events: client as never };
}

// biome-ignore lint/correctness/useYield: it fails before it has anything
async function* nothing(): AsyncGenerator<never> {
  throw new Error('unreachable');
}

describe('logs', () => {
  it('--pod-logs-dir: those of pods are there; --container-log-links: with links to each in one folder', async () => {
    await put('a');
    const [logs, links] = [join(folder, 'other-logs'), join(folder, 'links')];
    await start([`--pod-logs-dir=${logs}`, `--container-log-links=${links}`]);
    await made('a');
    const sandbox = runtime.faults.calls.find(({ method }) => method === 'runSandbox')?.args[0] as SandboxConfig;
    const { logDirectory } = sandbox;
    expect(logDirectory).toBe(join(logs, `default_a-n_${uid('a')}`));
    await writeFile(join(logDirectory, 'a/0.log'), '');
    await expect
      .poll(async () => {
        await clock.advance(10_000);
        return readdir(links).catch(() => []);
      })
      .toEqual([expect.stringMatching(/^a-n_default_a-container-\d+\.log$/)]);
  });
});

describe('sources of pods', () => {
  it('--pod-manifest-path: the pods of a folder run; --file-check-frequency: it is read again each time', async () => {
    // A link to a link elsewhere: where that leads is not noticed, but seen.
    const [here, elsewhere] = [join(folder, 'here'), join(folder, 'elsewhere')];
    await Promise.all([here, elsewhere].map((path) => mkdir(path)));
    for (const name of ['first', 'second']) await writeFile(join(elsewhere, name), manifest(name));
    await symlink('first', join(elsewhere, 'current'));
    await symlink(join(elsewhere, 'current'), join(here, 'link.json'));
    await start([`--pod-manifest-path=${join(here, 'link.json')}`, '--file-check-frequency=7s']);
    await made('first');
    await symlink('second', join(elsewhere, 'next'));
    await rename(join(elsewhere, 'next'), join(elsewhere, 'current'));
    await clock.advance(6_000 - clock.now());
    expect(agent?.pods().map(({ metadata }) => metadata?.name)).toEqual(['first-n']);
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return agent?.pods().map(({ metadata }) => metadata?.name);
      })
      .toContain('second-n');
  });

  it('--manifest-url: the pods of an address run; --http-check-frequency: it is asked each time', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end(manifest('web'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await start([`--manifest-url=${url}`, '--http-check-frequency=7s']);
    await made('web');
    expect(requests).toBe(1);
    await clock.advance(6_000);
    expect(requests).toBe(1);
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return requests;
      })
      .toBe(2);
    server.close();
  });
});

describe.each([
  ['version 1', async (): Promise<void> => undefined],
  ['version 2', () => writeFile(join(folder, 'cgroup/cgroup.controllers'), 'cpuset cpu memory pids\n')],
] as const)('control groups of %s', (version, prepare) => {
  const isUnified = version === 'version 2';
  const place = () => join(isUnified ? '' : 'cpu', `kubepods/burstable/pod${uid('a')}`);
  const quota = async () => {
    if (isUnified) return cgroup(place(), 'cpu.max');
    return `${await cgroup(place(), 'cpu.cfs_quota_us')} ${await cgroup(place(), 'cpu.cfs_period_us')}`;
  };

  beforeEach(async () => {
    await prepare();
    await put('a', manifest('a', {}, LIMITS));
  });

  it('--cpu-cfs-quota-period is the period of the quota of pods and containers', async () => {
    await start(['--cpu-cfs-quota-period=50ms']);
    expect((await made('a')).resources).toMatchObject({ cpuQuota: 25_000, cpuPeriod: 50_000 });
    expect(await quota()).toBe('25000 50000');
  });

  it('--cpu-cfs-quota=false: limits of CPU are not enforced', async () => {
    await start(['--cpu-cfs-quota=false']);
    expect((await made('a')).resources).not.toHaveProperty('cpuQuota');
    expect(await quota()).toBe(isUnified ? 'max 100000' : '-1 100000');
  });

  it('--pod-max-pids: a pod has so many processes', async () => {
    await start(['--pod-max-pids=77']);
    await made('a');
    const folderOfPids = isUnified ? '' : 'pids';
    expect(await cgroup(folderOfPids, `kubepods/burstable/pod${uid('a')}`, 'pids.max')).toBe('77');
  });

  it('--enforce-node-allocatable: all pods together are held to what is not reserved; none for no limit', async () => {
    const file = isUnified ? 'kubepods/memory.max' : 'memory/kubepods/memory.limit_in_bytes';
    const { node } = await start(['--system-reserved=memory=64Mi']);
    expect(await cgroup(file)).toBe(String(node.machine.memoryBytes - 64n * 2n ** 20n));
    await agent?.stop();
    await rm(join(folder, 'cgroup', file));
    await start(['--enforce-node-allocatable=none']);
    await expect(cgroup(file)).rejects.toThrow('ENOENT');
  });

  it('--cgroups-per-qos=false: the agent makes none', async () => {
    await start(['--cgroups-per-qos=false', '--enforce-node-allocatable=']);
    await made('a');
    await expect(cgroup(isUnified ? 'kubepods/cpu.weight' : 'cpu/kubepods/cpu.shares')).rejects.toThrow('ENOENT');
    const sandbox = runtime.faults.calls.find(({ method }) => method === 'runSandbox')?.args[0] as SandboxConfig;
    expect(sandbox.cgroupParent).toBeUndefined();
  });

  it('--cgroup-driver=cgroupfs: sandboxes are below the cgroups of their pods', async () => {
    await start([]);
    await made('a');
    const sandbox = runtime.faults.calls.find(({ method }) => method === 'runSandbox')?.args[0] as SandboxConfig;
    expect(sandbox.cgroupParent).toBe(`/kubepods/burstable/pod${uid('a')}`);
  });
});
