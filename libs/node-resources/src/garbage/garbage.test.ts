import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeRuntime } from '@orch/container-runtime/testing';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestEvents } from '../testing/doubles.js';
import { ContainerCollector } from './container-collector.js';
import { ImageCollector } from './image-collector.js';

let clock: ManualClock;
let runtime: FakeRuntime;
let events: TestEvents;
let folder: string;

beforeEach(async () => {
  clock = new ManualClock();
  runtime = new FakeRuntime({ clock });
  events = new TestEvents();
  folder = await mkdtemp(join(tmpdir(), 'garbage-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const labels = (uid: string) => ({ 'io.kubernetes.pod.uid': uid });
const namespaces = { network: 'pod', pid: 'container', ipc: 'pod' } as const;

async function sandbox(uid: string): Promise<string> {
  return runtime.runSandbox({
    metadata: { name: uid, uid, namespace: 'default', attempt: 0 },
    ...{ hostname: uid, logDirectory: folder, labels: labels(uid), annotations: {}, security: { namespaces } },
  });
}

async function container(uid: string, sandboxId: string, name: string, attempt = 0): Promise<string> {
  const metadata = { name: uid, uid, namespace: 'default', attempt: 0 };
  const sandboxConfig = { ...{ metadata, hostname: uid, logDirectory: folder, labels: {}, annotations: {} } };
  const id = await runtime.createContainer({
    sandboxId,
    sandboxConfig: { ...sandboxConfig, security: { namespaces } },
    config: {
      metadata: { name, attempt },
      image: 'used',
      ...{ command: [], args: [], workingDir: '', environment: [], mounts: [], devices: [] },
      ...{ labels: labels(uid), annotations: {}, logPath: '', stdin: false, stdinOnce: false, tty: false },
      security: { namespaces },
    },
  });
  await runtime.startContainer(id);
  return id;
}

/** Makes ended runs of a container. */
async function ended(uid: string, sandboxId: string, name: string, count: number): Promise<void> {
  for (let attempt = 0; attempt < count; attempt++)
    await runtime.stopContainer(await container(uid, sandboxId, name, attempt), 0);
}

const names = async () =>
  (await runtime.listContainers()).map(({ metadata: { name, attempt } }) => `${name}${attempt}`).sort();

describe('ImageCollector', () => {
  const disk = { capacityBytes: 1_000, availableBytes: 100 };
  const make = (highPercent = 85, minimumAgeMs = 0) =>
    new ImageCollector({
      ...{ runtime, highPercent, lowPercent: 80, minimumAgeMs, events, clock, logger: silentLogger },
      filesystem: async () => disk,
    });
  const images = () => runtime.images.list().map(({ repoTags }) => repoTags[0]);

  beforeEach(async () => {
    disk.availableBytes = 100;
    runtime.images.add({ name: 'used', size: 500 });
    runtime.images.add({ name: 'pinned', size: 500, pinned: true });
    runtime.images.add({ name: 'spare', size: 60 });
    runtime.images.add({ name: 'other', size: 60 });
    await container('a', await sandbox('a'), 'c');
  });

  it('--image-gc-high-threshold and --image-gc-low-threshold: removes unused images down to the low one', async () => {
    disk.availableBytes = 160;
    await make().collect();
    expect(images()).toEqual(['used', 'pinned', 'spare', 'other']);
    disk.availableBytes = 159;
    await make().collect();
    expect(images()).toEqual(['used', 'pinned', 'other']);
  });

  it('leaves the image of sandboxes, which no container has', async () => {
    Object.assign(runtime, { sandboxImage: async () => 'spare' });
    await make().removeUnused();
    expect(images()).toEqual(['used', 'pinned', 'spare']);
  });

  it('--image-gc-high-threshold=100 removes none', async () => {
    const collector = make(100);
    collector.start();
    await clock.advance(600_000);
    await collector.stop();
    expect(images()).toHaveLength(4);
  });

  it('--minimum-image-ttl-duration: leaves images that came lately; the failure is told from the second time on', async () => {
    const collector = make(85, 120_000);
    await collector.removeUnused();
    runtime.images.add({ name: 'new', size: 300 });
    collector.start();
    await clock.advance(0);
    expect(images()).toEqual(['used', 'pinned', 'new']);
    const message =
      'Failed to garbage collect required amount of images. Attempted to free 100 bytes, but only found 0 bytes eligible to free.';
    expect(events.all).toEqual([`FreeDiskSpaceFailed: ${message}`]);
    disk.availableBytes = 100;
    runtime.faults.fail('removeImage', 'busy');
    await clock.advance(300_000);
    await collector.stop();
    expect(events.all.at(-1)).toContain('ImageGCFailed: wanted to free 100 bytes, but freed 0 bytes space with errors');
  });

  it('tells of a file system without capacity', async () => {
    disk.capacityBytes = 0;
    await expect(make().collect()).rejects.toThrow('invalid capacity 0');
    disk.capacityBytes = 1_000;
    expect(events.all).toEqual(['InvalidDiskCapacity: invalid capacity 0 on image filesystem']);
  });
});

describe('ContainerCollector', () => {
  const state = { known: new Set(['a']), seen: true };
  const make = (perContainer: number, onNode: number) =>
    new ContainerCollector({
      ...{ runtime, podLogs: folder, perContainer, onNode, events, clock, logger: silentLogger },
      hasSeenAll: () => state.seen,
      knows: (uid) => state.known.has(uid),
      hasEnded: () => true,
    });

  beforeEach(() => {
    state.known = new Set(['a', 'b']);
    state.seen = true;
    runtime.images.add({ name: 'used' });
  });

  it('--maximum-dead-containers-per-container: keeps so many runs of each container', async () => {
    const a = await sandbox('a');
    await ended('a', a, 'x', 3);
    await ended('a', a, 'y', 1);
    await container('a', a, 'live');
    await make(2, -1).collect();
    expect(await names()).toEqual(['live0', 'x1', 'x2', 'y0']);
  });

  it('--maximum-dead-containers: keeps so many on the node, one of each container as long as that can be', async () => {
    const a = await sandbox('a');
    await ended('a', a, 'x', 3);
    await ended('a', a, 'y', 3);
    await make(-1, 3).collect();
    expect(await names()).toEqual(['x2', 'y2']);
    await make(-1, 1).collect();
    expect(await names()).toEqual(['y2']);
    await make(-1, -1).collect();
    expect(await names()).toEqual(['y2']);
  });

  it('removes what is left of pods that are gone, once all sources were seen: containers, sandboxes, logs', async () => {
    const gone = await sandbox('gone');
    await ended('gone', gone, 'x', 1);
    await runtime.stopSandbox(gone);
    await runtime.stopSandbox(await sandbox('a'));
    for (const uid of ['gone', 'a']) await mkdir(join(folder, `default_${uid}_${uid}`));
    state.seen = false;
    const collector = make(1, -1);
    await collector.collect();
    expect(await names()).toEqual(['x0']);
    state.seen = true;
    collector.start();
    await clock.advance(0);
    await expect.poll(() => existsSync(join(folder, 'default_gone_gone'))).toBe(false);
    await collector.stop();
    expect([await names(), existsSync(join(folder, 'default_a_a'))]).toEqual([[], true]);
    expect((await runtime.listSandboxes()).map(({ metadata }) => metadata.uid)).toEqual(['a']);
  });

  it('tells of a failure', async () => {
    runtime.faults.fail('listContainers', 'away');
    const collector = make(1, -1);
    collector.start();
    await clock.advance(0);
    await collector.stop();
    expect(events.all).toEqual(['ContainerGCFailed: rpc error: code = Unknown desc = away']);
  });
});
