import { PodFolders } from '@orch/pod-environment';
import { ManualClock } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import { FILESYSTEM } from '../testing/doubles.js';
import { CpuMeter } from './cpu-meter.js';
import { hostFiles } from './host-files.js';
import { diskOf, memoryOf } from './usage.js';
import { UsageMeter } from './usage-meter.js';

const MEMINFO =
  'MemTotal:  1000 kB\nMemFree:  300 kB\nActive(file): 5 kB\nInactive(file):  200 kB\nAnonPages: 100 kB\n';

function setup(files: Record<string, string>, walk: () => Promise<void> = async () => undefined) {
  const clock = new ManualClock();
  const walked: string[] = [];
  const at = 0;
  const labels = { 'io.kubernetes.pod.uid': 'u' };
  const identity = { labels, annotations: {} };
  const meter = new UsageMeter({
    runtime: {
      imageFilesystems: async () => [{ at, mountpoint: '/images', usedBytes: 1, inodesUsed: 1 }],
      listSandboxStatistics: async () => [
        {
          ...{ id: 's', metadata: { name: 'p', uid: 'u', namespace: 'n', attempt: 0 }, ...identity, processCount: 3 },
          containers: [
            { id: 'c', metadata: { name: 'c', attempt: 0 }, ...identity, memory: { at, workingSetBytes: 7 } },
          ],
        },
      ],
    },
    folders: new PodFolders('/agent'),
    podLogs: '/logs',
    clock,
    files: {
      read: async (path) => files[path],
      filesystem: async (path) => ({ ...FILESYSTEM, device: path === '/images' ? 2 : 1 }),
      entries: async () => ['v'],
      tree: async (path) => {
        walked.push(path);
        await walk();
        return { bytes: 10, inodes: 2 };
      },
    },
  });
  return { clock, walked, meter };
}

const PIDS = {
  '/proc/sys/kernel/pid_max': '4000\n',
  '/proc/sys/kernel/threads-max': '900\n',
  '/proc/loadavg': '0.1 0.2 0.3 2/345 77',
};

describe('UsageMeter', () => {
  it('measures memory by the root cgroup of version 1, else by what the kernel tells', async () => {
    const vmstat = { '/proc/vmstat': 'pgfault 70\npgmajfault 8\n' };
    const plain = await setup({ ...PIDS, ...vmstat, '/proc/meminfo': MEMINFO }).meter.node();
    expect(plain.memory).toEqual({
      capacityBytes: 1_024_000,
      usageBytes: 716_800,
      availableBytes: 512_000,
      workingSetBytes: 512_000,
      rssBytes: 102_400,
      ...{ pageFaults: 70, majorPageFaults: 8 },
    });
    expect([plain.processes, plain.hasOwnImagefs]).toEqual([{ max: 900, running: 345 }, true]);
    const cgroup = {
      'memory.usage_in_bytes': '300000',
      'memory.stat': 'rss 1\ntotal_rss 5\ntotal_inactive_file 100000\n',
    };
    const folder = Object.entries(cgroup).map(([name, text]) => [`/sys/fs/cgroup/memory/${name}`, text]);
    const counted = await setup({ '/proc/meminfo': MEMINFO, ...Object.fromEntries(folder) }).meter.node();
    expect(counted.memory).toMatchObject({ workingSetBytes: 200_000, rssBytes: 5, pageFaults: 0 });
  });

  it('measures pods with their logs and volumes, whose folders it walks once a minute', async () => {
    const { meter, walked, clock } = setup({});
    const pod = (await meter.pods()).get('u');
    expect(pod && [memoryOf(pod), diskOf(pod, ['logs', 'volumes']), pod.processes]).toEqual([
      7,
      { bytes: 20, inodes: 4 },
      3,
    ]);
    expect(walked).toEqual(['/logs/n_p_u/c', '/agent/pods/u/volumes/kubernetes.io~empty-dir/v']);
    await clock.advance(59_000);
    await meter.pods();
    expect(walked).toHaveLength(2);
    await clock.advance(1_000);
    await meter.pods();
    expect(walked).toHaveLength(4);
  });
});

describe('a folder with many files', () => {
  it('holds up nothing, and has the size that it had before', async () => {
    const releases: (() => void)[] = [];
    const { meter, walked, clock } = setup({}, () => new Promise((resolve) => releases.push(resolve)));
    const disk = async () => {
      const measured = meter.pods();
      await clock.advance(0);
      await clock.advance(2_000);
      const pod = (await measured).get('u');
      return pod && diskOf(pod, ['logs', 'volumes']).bytes;
    };
    expect(await disk()).toBe(0);
    expect(await disk()).toBe(0);
    expect(walked).toHaveLength(2);
    for (const release of releases) release();
    expect(await disk()).toBe(20);
    expect(walked).toHaveLength(2);
  });
});

describe('CPU time of the machine', () => {
  it('has a rate from the second measurement on, of a second at least', () => {
    const clock = new ManualClock();
    let used = 5e9;
    const meter = new CpuMeter(clock, () => used);
    expect(meter.usage()).toEqual({ usageCoreNanoseconds: 5e9 });
    used = 6e9;
    clock.advanceNow(500);
    expect(meter.usage()).toEqual({ usageCoreNanoseconds: 6e9 });
    clock.advanceNow(1_500);
    expect(meter.usage()).toEqual({ usageCoreNanoseconds: 6e9, usageNanoCores: 5e8 });
  });
});

describe('volumes of a pod', () => {
  it('are measured with the file system that they are on', async () => {
    const { meter } = setup({});
    const [volume] = await meter.volumes({ metadata: { uid: 'u' } });
    const { capacityBytes, availableBytes, inodes, inodesFree } = FILESYSTEM;
    expect(volume).toMatchObject({ name: 'v', usedBytes: 10, inodesUsed: 2 });
    expect(volume).toMatchObject({ capacityBytes, availableBytes, inodes, inodesFree });
  });
});

describe('hostFiles', () => {
  it('counts the disk of a folder, and nothing for one that is not there', async () => {
    const here = await hostFiles.tree(import.meta.dirname);
    expect(here.inodes).toBeGreaterThanOrEqual(5);
    expect(await hostFiles.tree('/not/there')).toEqual({ bytes: 0, inodes: 0 });
    expect((await hostFiles.filesystem(import.meta.dirname)).capacityBytes).toBeGreaterThan(0);
  });
});
