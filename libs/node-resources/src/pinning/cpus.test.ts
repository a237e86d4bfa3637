import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeCpus } from './cpu-assignment.js';
import { CpuManager } from './cpu-manager.js';
import { formatCpuSet, parseCpuSet } from './cpu-set.js';
import { type Cpu, readCpuTopology } from './cpu-topology.js';

/** A machine of two sockets with two cores each, of two threads: 0 and 4 are one core. */
const CPUS: readonly Cpu[] = [0, 1, 2, 3, 4, 5, 6, 7].map((id) => ({
  ...{ id, core: id % 4, socket: id % 4 < 2 ? 0 : 1, node: id % 4 < 2 ? 0 : 1 },
}));

describe('takeCpus', () => {
  it.each([
    ['0-7', 4, '0-1,4-5', 'a whole socket'],
    ['0-7', 2, '0,4', 'a whole core'],
    ['1-7', 4, '2-3,6-7', 'the socket that is whole'],
    ['1-7', 2, '1,5', 'a core of the socket that has the least left'],
    ['1-7', 1, '4', 'the thread whose core is in use already'],
    ['1-7', 3, '1,4-5', 'a core, and a thread beside it'],
    ['0-7', 8, '0-7', 'everything'],
  ])('of %s, %d are %s: %s', (available, count, taken) => {
    expect(formatCpuSet(takeCpus(CPUS, parseCpuSet(available), count))).toBe(taken);
  });

  it('takes nothing where there is not enough', () => {
    expect(() => takeCpus(CPUS, parseCpuSet('0-1'), 3)).toThrow('not enough cpus available to satisfy request');
  });
});

describe('the topology of the machine', () => {
  it('is read from the files of the kernel', async () => {
    const cpu = '/sys/devices/system/cpu';
    const files: Record<string, string> = {
      [`${cpu}/online`]: '0-1\n',
      [`${cpu}/cpu1/topology/physical_package_id`]: '1\n',
      [`${cpu}/cpu1/topology/thread_siblings_list`]: '1,3\n',
      '/sys/devices/system/node/node1/cpulist': '1\n',
    };
    const host = { read: async (path: string) => files[path], entries: async () => ['node0', 'node1', 'power'] };
    expect(await readCpuTopology(host)).toEqual([
      { id: 0, core: 0, socket: 0, node: 0 },
      { id: 1, core: 1, socket: 1, node: 1 },
    ]);
  });
});

describe('--cpu-manager-policy=static', () => {
  let folder = '';
  const file = () => join(folder, 'cpu_manager_state');
  const state = async () => JSON.parse(await readFile(file(), 'utf8')) as Record<string, unknown>;
  const make = (more: { reserved?: number; reservedCpus?: string; wholeCores?: boolean } = {}) =>
    new CpuManager({
      ...{ cpus: CPUS, reserved: more.reserved ?? 1, wholeCores: more.wholeCores ?? false, file: file() },
      ...(more.reservedCpus !== undefined && { reservedCpus: parseCpuSet(more.reservedCpus) }),
    });
  const container = (name: string, cpu: string, memory = '1Gi') => ({
    ...{ name, resources: { limits: { cpu, memory }, requests: { cpu, memory } } },
  });
  const pod = (uid: string, ...containers: ReturnType<typeof container>[]): Pod => ({
    ...{ metadata: { uid, name: uid }, spec: { containers } },
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cpus-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('gives whole CPUs of Guaranteed pods to their containers alone; the others share the rest', () => {
    const manager = make();
    expect(manager.allocate(pod('a', container('c', '2'), container('half', '500m')))).toBeUndefined();
    expect(manager.cpusOf('a', 'c')).toBe('1,5');
    expect(manager.cpusOf('a', 'half')).toBe('0,2-4,6-7');
    const burstable = pod('b', {
      name: 'c',
      resources: { limits: { cpu: '2', memory: '2Gi' }, requests: { cpu: '1', memory: '1Gi' } },
    });
    expect(manager.allocate(burstable)).toBeUndefined();
    expect(manager.cpusOf('b', 'c')).toBe('0,2-4,6-7');
  });

  it('keeps what is reserved, and takes back what pods had that are gone', () => {
    const manager = make({ reservedCpus: '0,4' });
    expect(manager.allocate(pod('a', container('c', '6')))).toBeUndefined();
    expect(manager.cpusOf('x', 'c')).toBe('0,4');
    expect(manager.allocate(pod('b', container('c', '1')))).toEqual({
      reason: 'UnexpectedAdmissionError',
      message: 'Allocate failed due to not enough cpus available to satisfy request, which is unexpected',
    });
    manager.keepOnly(new Set(['b']));
    expect(manager.allocate(pod('b', container('c', '1')))).toBeUndefined();
    expect(manager.cpusOf('b', 'c')).toBe('1');
  });

  it('a pod that cannot have all has nothing', () => {
    const manager = make();
    expect(manager.allocate(pod('a', container('c', '4'), container('d', '4')))?.reason).toBe(
      'UnexpectedAdmissionError',
    );
    expect(manager.cpusOf('x', 'c')).toBe('0-7');
  });

  it('gives the CPUs of init containers to those that follow', () => {
    const manager = make();
    const both = pod('a', container('c', '2'));
    const init = [container('i', '6')];
    expect(
      manager.allocate({
        ...both,
        spec: { ...both.spec, containers: both.spec?.containers ?? [], initContainers: init },
      }),
    ).toBeUndefined();
    expect([manager.cpusOf('a', 'i'), manager.cpusOf('a', 'c')]).toEqual(['1-3,5-7', '1,5']);
  });

  it('--cpu-manager-policy-options=full-pcpus-only=true refuses parts of cores', () => {
    const manager = make({ wholeCores: true });
    expect(manager.allocate(pod('a', container('c', '3')))).toEqual({
      reason: 'SMTAlignmentError',
      message: 'SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2',
    });
    expect(manager.allocate(pod('a', container('c', '8')))?.message).toBe(
      'SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, CPUs per core = 2',
    );
    expect(manager.allocate(pod('a', container('c', '6')))).toBeUndefined();
  });

  it('finds again what it gave, in the file of the reference', async () => {
    make().allocate(pod('a', container('c', '2')));
    expect(await state()).toMatchObject({
      policyName: 'static',
      defaultCpuSet: '0,2-4,6-7',
      entries: { a: { c: '1,5' } },
    });
    expect(make().cpusOf('a', 'c')).toBe('1,5');
    expect(make().allocate(pod('a', container('c', '2')))).toBeUndefined();
    expect(make().cpusOf('a', 'c')).toBe('1,5');
  });

  it('has the sums that the reference writes', async () => {
    // Written by release 1.27.
    await writeFile(
      file(),
      '{"policyName":"static","defaultCpuSet":"0-1","entries":{"t-2":{"c":"4,6"},"u-1":{"a":"5,7","b":"2-3"}},"checksum":1}',
    );
    expect(() => make()).toThrow('corrupted');
    await writeFile(
      file(),
      '{"policyName":"static","defaultCpuSet":"0-1","entries":{"t-2":{"c":"4,6"},"u-1":{"a":"1","b":"2-3"}},"checksum":2200433711}',
    );
    expect(() => make()).toThrow('cpus of containers "1-4,6" overlap with default cpuset "0-1"');
  });

  it('refuses files that do not fit', async () => {
    make({ reserved: 2 }).allocate(pod('a', container('c', '4')));
    expect(() => make({ reservedCpus: '2' })).toThrow(
      'not all reserved cpus: "2" are present in defaultCpuSet: "0-1,4-5"',
    );
    const fewer = { cpus: CPUS.slice(0, 7), reserved: 1, reservedCpus: new Set([0]), wholeCores: false, file: file() };
    expect(() => new CpuManager(fewer)).toThrow("doesn't match with CPUs in state");
    await writeFile(file(), '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}');
    expect(() => make()).toThrow('configured policy "static" differs from state checkpoint policy "none"');
  });
});
