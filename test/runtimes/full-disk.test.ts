import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApiObject } from '../support/api.js';
import { NodeRig } from './node-rig.js';
import { NOTHING } from './remains.js';

const SOON = { timeout: 90_000 };
/** Limit for a whole test, ms. */
const LONG_MS = 240_000;
const MEBIBYTE = 2 ** 20;
/** Enough for the image, for the roots of a few containers, and for what the runtime keeps of them. */
const DISK = '64m';
const FOREVER = 'trap "exit 0" TERM; while true; do sleep 0.2 & wait $!; done';
const PRESSURE = ['--eviction-hard=nodefs.available<5Mi', '--eviction-pressure-transition-period=1s'];

describe.each(['processes', 'containerd'] as const)('a node on %s whose disk is full', (kind) => {
  let disk: string;
  let rig: NodeRig;

  async function open(...args: string[]): Promise<void> {
    disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk]);
    rig = await NodeRig.open(kind, {
      ...{ root: join(disk, 'root'), store: join(disk, 'containerd') },
      args: [...args, '--node-status-update-frequency=1s', '--sync-frequency=5s'],
    });
    await rig.agent.start();
  }
  afterEach(async () => {
    await rig.close();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  const pressure = async (): Promise<string> => {
    const { status, text } = await rig.api.get('/api/v1/nodes/n1');
    const conditions = status === 200 ? (JSON.parse(text) as ApiObject).status.conditions : [];
    return conditions.find(({ type }: { type: string }) => type === 'DiskPressure')?.status ?? 'Unknown';
  };
  const create = (name: string, then = FOREVER, more: object = {}) =>
    rig.create(name, {
      containers: [rig.container('c', `echo run >> /journals/${name}; ${then}`)],
      ...{ volumes: rig.volumes, ...more },
    });
  /** A container that writes a log all the time, which nothing evicts. */
  const createChatty = () =>
    create('stays', 'trap "exit 0" TERM; while true; do echo line; sleep 0.1 & wait $!; done', {
      priorityClassName: 'system-node-critical',
    });
  const filler = () => join(disk, 'filler');

  test('says so, runs no more pods, and goes on once there is room again; what runs is not harmed by its log', {
    timeout: LONG_MS,
  }, async () => {
    await open(...PRESSURE);
    await createChatty();
    await expect.poll(() => rig.journal('stays').length, SOON).toBe(1);
    await expect.poll(pressure, SOON).toBe('False');
    fill(filler());
    await expect.poll(pressure, SOON).toBe('True');
    await create('late');
    await expect.poll(async () => (await rig.pod('late'))?.status.reason, SOON).toBe('Evicted');
    expect(rig.agent.running).toBe(true);
    rmSync(filler(), { recursive: true });
    await expect.poll(pressure, SOON).toBe('False');
    await create('next');
    await expect.poll(() => rig.journal('next').length, SOON).toBe(1);
    expect(rig.journal('stays')).toEqual(['run']);
    expect(rig.programs('/journals/stays;')).toBe(1);
    expect(rig.agent.running).toBe(true);
  });

  test('without a threshold has pods wait, says why, and runs them once there is room again, once', {
    timeout: LONG_MS,
  }, async () => {
    await open('--eviction-hard=');
    await createChatty();
    await expect.poll(() => rig.journal('stays').length, SOON).toBe(1);
    fill(filler());
    await create('late');
    await expect.poll(() => warnings('late'), SOON).toMatch(/no space left on device/i);
    expect((await rig.pod('late'))?.status.phase).toBe('Pending');
    expect(rig.journal('late')).toEqual([]);
    rmSync(filler(), { recursive: true });
    await expect.poll(() => rig.journal('late').length, SOON).toBe(1);
    await rig.allRun(2);
    expect([rig.programs('/journals/stays;'), rig.programs('/journals/late;')]).toEqual([1, 1]);
    expect(rig.journal('stays')).toEqual(['run']);
    for (const name of ['stays', 'late']) await rig.delete(name);
    await rig.noneLeft();
    await expect.poll(() => rig.remains(), SOON).toEqual(NOTHING);
  });

  async function warnings(name: string): Promise<string> {
    const { items } = JSON.parse((await rig.api.get('/api/v1/namespaces/default/events')).text) as {
      items: ApiObject[];
    };
    const own = items.filter(
      ({ type, involvedObject }) => type === 'Warning' && involvedObject.name === rig.nameOf(name),
    );
    return own.map(({ reason, message }) => `${reason}: ${message}`).join('\n');
  }
});

/** Writes until there is no room any more. */
function fill(folder: string): void {
  mkdirSync(folder);
  const piece = Buffer.alloc(MEBIBYTE);
  try {
    for (let at = 0; ; at++) writeFileSync(join(folder, `${at}`), piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
