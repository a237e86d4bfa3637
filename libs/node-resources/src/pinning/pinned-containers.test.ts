import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedContainer } from '@orch/container-runtime';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { Pod } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPinnedContainers } from './open-pinned.js';

const MACHINE: Readonly<Record<string, string>> = {
  '/sys/devices/system/cpu/online': '0-3\n',
  '/sys/devices/system/node/node0/cpulist': '0-3\n',
  '/sys/devices/system/node/node0/meminfo': 'Node 0 MemTotal: 4194304 kB\n',
};
const amounts = { cpu: '2', memory: '1Gi' };
const POD: Pod = {
  metadata: { uid: 'a', name: 'a' },
  spec: { containers: [{ name: 'c', resources: { limits: amounts, requests: amounts } }] },
};

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pinned-'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Options {
  readonly policy?: string;
  readonly reservedMilli?: bigint;
  readonly memory?: string;
  readonly reservedBytes?: number;
}

async function open({ policy = 'static', reservedMilli = 500n, memory = 'None', reservedBytes = 0 }: Options) {
  const clock = new ManualClock();
  const updates: string[] = [];
  const running: ListedContainer[] = [];
  const mayRun = new Set(['a']);
  const failing = new Set<string>();
  const pinned = await openPinnedContainers({
    ...{ folder, everyMs: 10_000, clock, logger: silentLogger, mayRun: () => mayRun },
    cpus: { policy, reservedMilli, reservedCpus: '', wholeCores: false },
    memory: { policy: memory, reserved: new Map([[0, new Map([['memory', reservedBytes]])]]), keptBytes: 2 ** 30 },
    runtime: {
      listContainers: async () => running,
      updateContainerResources: async (id, { cpusetCpus }) => {
        if (failing.has(id)) throw new Error('no');
        updates.push(`${id} ${cpusetCpus}`);
      },
    },
    files: {
      read: async (path) => MACHINE[path],
      entries: async (path) => (path.endsWith('/node') ? ['node0'] : []),
      filesystem: () => Promise.reject(new Error('not asked')),
      tree: () => Promise.reject(new Error('not asked')),
    },
  });
  const run = (uid: string) =>
    running.push({
      ...{ id: uid, sandboxId: uid, metadata: { name: 'c', attempt: 0 }, image: '', imageRef: '', createdAt: 0 },
      ...{ state: 'running', annotations: {} },
      labels: { 'io.kubernetes.pod.uid': uid, 'io.kubernetes.container.name': 'c' },
    });
  return { pinned, clock, updates, run, mayRun, failing };
}

describe('CPUs of containers', () => {
  it('--cpu-manager-reconcile-period is the interval at which containers are moved to the CPUs that are theirs', async () => {
    const { pinned, clock, updates, run, mayRun, failing } = await open({});
    run('x');
    pinned.start();
    await clock.advance(0);
    expect(updates).toEqual(['x 0-3']);
    expect(pinned.allocate(POD)).toBeUndefined();
    expect(pinned.resources('a', 'c')).toEqual({ cpusetCpus: '1-2' });
    run('a');
    failing.add('x');
    await clock.advance(10_000);
    expect(updates.splice(0)).toEqual(['x 0-3', 'a 1-2']);
    failing.clear();
    await clock.advance(10_000);
    expect(updates.splice(0)).toEqual(['x 0,3']);
    mayRun.clear();
    await clock.advance(10_000);
    expect(updates).toEqual(['x 0-3', 'a 0-3']);
    await pinned.stop();
  });
});

describe('policies of CPUs and memory', () => {
  it('need something reserved', async () => {
    await expect(open({ reservedMilli: 0n })).rejects.toThrow('--cpu-manager-policy: the static policy requires');
    await expect(open({ memory: 'Static' })).rejects.toThrow('--memory-manager-policy: you should specify');
    await expect(open({ memory: 'Static', reservedBytes: 7 })).rejects.toThrow(
      'the total amount "7" of type "memory" of --reserved-memory is not equal to the value "1073741824"',
    );
  });

  it('bind memory to the NUMA node', async () => {
    const { pinned } = await open({ policy: 'none', memory: 'Static', reservedBytes: 2 ** 30 });
    expect(pinned.allocate(POD)).toBeUndefined();
    expect(pinned.resources('a', 'c')).toEqual({ cpusetMems: '0' });
  });

  it('leave their names, so that another one is not taken by accident', async () => {
    await open({ policy: 'none' });
    expect(await readFile(join(folder, 'cpu_manager_state'), 'utf8')).toBe(
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
    );
    await expect(open({})).rejects.toThrow('differs from state checkpoint policy "none"');
  });
});
