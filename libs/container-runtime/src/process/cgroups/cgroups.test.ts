import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cgroups, groupUsage, hasRunOutOfMemory, removeGroups } from './cgroups.js';

let mount: string;

beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), 'orch-cgroups-'));
});

afterEach(() => rmSync(mount, { recursive: true, force: true }));

/** Makes files of a group, as a kernel would. */
function group(path: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(mount, path), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(mount, path, name), text);
}
const read = (path: string) => readFileSync(join(mount, path), 'utf8');

describe('control groups of version 2', () => {
  const FILES = ['cpu.max', 'cpu.weight', 'memory.max', 'pids.max', 'memory.high'];
  beforeEach(() => {
    group('.', { 'cgroup.controllers': 'cpuset cpu io memory pids\n', 'cgroup.subtree_control': '' });
    group('pods', { 'cgroup.controllers': 'cpuset cpu memory pids\n', 'cgroup.subtree_control': '' });
    group('pods/c', Object.fromEntries(FILES.map((name) => [name, ''])));
  });

  it('get limits, and the controllers of those above them', () => {
    const resources = {
      cpuShares: 1024,
      cpuQuota: 50_000,
      memoryLimit: 1_000,
      pidsLimit: 7,
      unified: { 'memory.high': '900' },
    };
    expect(new Cgroups(mount).make('/pods/c', resources)).toEqual([join(mount, 'pods/c')]);
    expect(read('pods/cgroup.subtree_control')).toBe('+cpuset +cpu +memory +pids');
    expect(FILES.map((name) => read(`pods/c/${name}`))).toEqual(['50000 100000', '39', '1000', '7', '900']);
    new Cgroups(mount).set([join(mount, 'pods/c')], { cpuQuota: -1, cpuPeriod: 10_000 });
    expect([read('pods/c/cpu.max'), read('pods/c/memory.max')]).toEqual(['max 10000', '1000']);
  });

  it('cannot be made where a limit cannot be set, and none is left', () => {
    rmSync(join(mount, 'pods/c'), { recursive: true });
    expect(new Cgroups(mount).make('/pods/c', { memoryLimit: 1 })).toEqual([]);
    expect(existsSync(join(mount, 'pods/c'))).toBe(false);
  });

  it('tell usage, and whether memory has run out', () => {
    const folders = [join(mount, 'pods/c')];
    expect([groupUsage(folders), hasRunOutOfMemory(folders)]).toEqual([{}, false]);
    group('pods/c', {
      'cpu.stat': 'usage_usec 12\nuser_usec 1\n',
      'memory.current': '1000\n',
      'memory.stat': 'anon 1\ninactive_file 300\n',
    });
    group('pods/c', { 'memory.events': 'oom 1\noom_kill 1\n' });
    expect(groupUsage(folders)).toEqual({ cpuNanoseconds: 12_000, memoryBytes: 1_000, workingSetBytes: 700 });
    expect(hasRunOutOfMemory(folders)).toBe(true);
  });
});

describe('control groups of version 1', () => {
  it('are one in each hierarchy, with processors of their parents', () => {
    for (const name of ['cpu', 'memory', 'pids']) group(name, {});
    group('cpuset', { 'cpuset.cpus': '0-1', 'cpuset.mems': '0' });
    for (const path of ['cpuset/p', 'cpuset/p/c']) group(path, { 'cpuset.cpus': '', 'cpuset.mems': '' });
    group('memory/p/c', { 'memory.limit_in_bytes': '' });
    const made = new Cgroups(mount).make('/p/c', { memoryLimit: 5 });
    expect(made).toEqual(['cpu', 'cpuset', 'memory', 'pids'].map((name) => join(mount, name, 'p/c')));
    expect([read('cpuset/p/c/cpuset.cpus'), read('memory/p/c/memory.limit_in_bytes')]).toEqual(['0-1', '5']);
  });

  it('tell usage, and whether memory has run out', () => {
    group('cpuacct/c', { 'cpuacct.usage': '345\n' });
    group('memory/c', {
      'memory.usage_in_bytes': '900\n',
      'memory.stat': 'inactive_file 1\ntotal_inactive_file 200\n',
    });
    group('memory/c', { 'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 0\n' });
    const folders = [join(mount, 'cpuacct/c'), join(mount, 'memory/c')];
    expect(groupUsage(folders)).toEqual({ cpuNanoseconds: 345, memoryBytes: 900, workingSetBytes: 700 });
    expect(hasRunOutOfMemory(folders)).toBe(false);
  });
});

describe('removing groups', () => {
  it('takes those below along, and those that are not there', () => {
    mkdirSync(join(mount, 'a/b'), { recursive: true });
    removeGroups([join(mount, 'a'), join(mount, 'none')]);
    expect(existsSync(join(mount, 'a'))).toBe(false);
  });
});
