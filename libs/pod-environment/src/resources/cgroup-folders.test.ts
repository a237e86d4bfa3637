import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@orch/schema/types/core/v1';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CgroupFolders } from './cgroup-folders.js';

let mount = '';
beforeEach(async () => {
  mount = await mkdtemp(join(tmpdir(), 'cgroups-'));
});
afterEach(() => rm(mount, { recursive: true }));

const cgroups = () =>
  new CgroupFolders({
    mount,
    root: [],
    driver: 'cgroupfs',
    quota: { enforced: true, periodMicros: 100_000 },
    podPids: 100,
  });
const resources = { limits: { cpu: '500m', memory: '1Mi' }, requests: { cpu: '250m', memory: '1Mi' } };
const pod: Pod = { metadata: { uid: 'u' }, spec: { containers: [{ name: 'c', resources }] } };
const read = (...path: string[]) => readFile(join(mount, ...path), 'utf8');

/** A folder that looks like cgroups; files in it have to be removed by hand, which the kernel does. */
async function removeFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeFiles(join(folder, entry.name));
    else await rm(join(folder, entry.name));
  }
}

describe('cgroups of version 1', () => {
  it('have a hierarchy for each controller', async () => {
    const own = cgroups();
    await own.start();
    await own.ensure(pod);
    const place = 'kubepods/burstable/podu';
    expect(await read('cpu', place, 'cpu.shares')).toBe('256');
    expect(await read('cpu', place, 'cpu.cfs_quota_us')).toBe('50000');
    expect(await read('memory', place, 'memory.limit_in_bytes')).toBe('1048576');
    expect(await read('pids', place, 'pids.max')).toBe('100');
    expect(await read('cpu/kubepods/besteffort/cpu.shares')).toBe('2');
    await own.updateClasses([pod, pod]);
    expect(await read('cpu/kubepods/burstable/cpu.shares')).toBe('512');
    await mkdir(join(mount, 'cpu', place, 'container'));
    // The runtime's own.
    await mkdir(join(mount, 'freezer', place, 'container'), { recursive: true });
    await removeFiles(mount);
    // As of a pod that the runtime alone has.
    await own.remove({ metadata: { uid: 'u' } });
    for (const hierarchy of ['cpu', 'freezer'])
      expect(await readdir(join(mount, hierarchy, 'kubepods/burstable'))).toEqual([]);
    await own.remove(pod);
  });
});

describe('cgroups of version 2', () => {
  it('are in one hierarchy, with the controllers handed down', async () => {
    await writeFile(join(mount, 'cgroup.controllers'), 'cpuset cpu io memory pids\n');
    const own = cgroups();
    await own.start();
    await own.ensure(pod);
    const place = 'kubepods/burstable/podu';
    expect(await read(place, 'cpu.weight')).toBe('10');
    expect(await read(place, 'cpu.max')).toBe('50000 100000');
    expect(await read(place, 'memory.max')).toBe('1048576');
    expect(await read(place, 'pids.max')).toBe('100');
    for (const parent of ['', 'kubepods', 'kubepods/burstable'])
      expect(await read(parent, 'cgroup.subtree_control')).toBe('+cpuset +cpu +memory +pids');
  });
});
