import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCheckpoint } from './checkpoint.js';
import { type MemoryCheckpoint, memoryCheckpointText } from './memory-checkpoint.js';
import { MemoryManager } from './memory-manager.js';
import { readMemoryTopology } from './memory-topology.js';

const GI = 2 ** 30;
const NODES = [0, 1].map((id) => ({ id, bytes: new Map([['memory', 4 * GI]]) }));
const RESERVED = new Map([[0, new Map([['memory', GI]])]]);

const pod = (uid: string, memory: string, init?: string): Pod => {
  const container = (name: string, amount: string) => {
    const amounts = { cpu: '1', memory: amount };
    return { name, resources: { limits: amounts, requests: amounts } };
  };
  const initContainers = init === undefined ? [] : [container('i', init)];
  return { metadata: { uid, name: uid }, spec: { containers: [container('c', memory)], initContainers } };
};

describe('--memory-manager-policy=Static', () => {
  let folder = '';
  const file = () => join(folder, 'memory_manager_state');
  const make = () => new MemoryManager({ nodes: NODES, reserved: RESERVED, file: file() });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'memory-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('binds containers of Guaranteed pods to a NUMA node that has their memory free', () => {
    const manager = make();
    expect(manager.allocate(pod('a', '3Gi'))).toBeUndefined();
    expect(manager.allocate(pod('b', '3Gi'))).toBeUndefined();
    expect([manager.nodesOf('a', 'c'), manager.nodesOf('b', 'c')]).toEqual(['0', '1']);
    expect(manager.allocate(pod('c', '2Gi'))).toEqual({
      reason: 'UnexpectedAdmissionError',
      message:
        'Allocate failed due to [memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available, which is unexpected',
    });
    manager.keepOnly(new Set(['b', 'c']));
    expect(manager.allocate(pod('c', '2Gi'))).toBeUndefined();
    expect(manager.nodesOf('c', 'c')).toBe('0');
  });

  it('leaves that of other pods anywhere', () => {
    const manager = make();
    const other: Pod = { metadata: { uid: 'a' }, spec: { containers: [{ name: 'c' }] } };
    expect(manager.allocate(other)).toBeUndefined();
    expect(manager.nodesOf('a', 'c')).toBeUndefined();
  });

  it('gives the memory of init containers to those that follow', () => {
    const manager = make();
    expect(manager.allocate(pod('a', '3Gi', '2Gi'))).toBeUndefined();
    expect([manager.nodesOf('a', 'i'), manager.nodesOf('a', 'c')]).toEqual(['0', '0']);
  });

  it('finds again what it gave, in the file of the reference', async () => {
    make().allocate(pod('a', '3Gi'));
    const again = make();
    expect(again.nodesOf('a', 'c')).toBe('0');
    expect(again.allocate(pod('b', '1Gi'))).toBeUndefined();
    expect(again.nodesOf('b', 'c')).toBe('1');
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({
      policyName: 'Static',
      machineState: {
        0: { numberOfAssignments: 1, memoryMap: { memory: { total: 4 * GI, free: 0, reserved: 3 * GI } } },
      },
      entries: { a: { c: [{ numaAffinity: [0], type: 'memory', size: 3 * GI }] } },
    });
    const less = [{ id: 0, bytes: new Map([['memory', GI]]) }];
    expect(() => new MemoryManager({ nodes: less, reserved: new Map(), file: file() })).toThrow(
      'machine state is different',
    );
  });

  it('has the sums that the reference writes', async () => {
    // Written by release 1.27.
    const written =
      '{"policyName":"Static","machineState":{"0":{"numberOfAssignments":1,"memoryMap":{"hugepages-2Mi":{"total":0,"systemReserved":0,"allocatable":0,"reserved":0,"free":0},"memory":{"total":1000,"systemReserved":100,"allocatable":900,"reserved":300,"free":600}},"cells":[0]}},"entries":{"u-1":{"a":[{"numaAffinity":[0],"type":"memory","size":300}]}},"checksum":1500925294}';
    const read = () => readCheckpoint<MemoryCheckpoint & { checksum: number }>(file(), 'Static', memoryCheckpointText);
    await writeFile(file(), written);
    expect(read()?.entries).toEqual({ 'u-1': { a: [{ numaAffinity: [0], type: 'memory', size: 300 }] } });
    await writeFile(file(), written.replace('"size":300', '"size":301'));
    expect(read).toThrow('corrupted');
  });
});

describe('the memory of NUMA nodes', () => {
  it('is read from the files of the kernel, huge pages among it', async () => {
    const node = '/sys/devices/system/node/node0';
    const files: Record<string, string> = {
      [`${node}/meminfo`]: 'Node 0 MemTotal:       1024 kB\nNode 0 MemFree: 1 kB\n',
      [`${node}/hugepages/hugepages-2048kB/nr_hugepages`]: '3\n',
    };
    const entries: Record<string, string[]> = {
      '/sys/devices/system/node': ['node0'],
      [`${node}/hugepages`]: ['hugepages-2048kB'],
    };
    const host = { read: async (path: string) => files[path], entries: async (path: string) => entries[path] ?? [] };
    expect(await readMemoryTopology(host)).toEqual([
      {
        id: 0,
        bytes: new Map([
          ['memory', 2 ** 20],
          ['hugepages-2Mi', 6 * 2 ** 20],
        ]),
      },
    ]);
  });
});
