import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiObject } from '../support/api.js';
import { NodeRig } from './node-rig.js';

const SOON = { timeout: 90_000 };
const MEBIBYTE = 2 ** 20;
/** Enough for the image, and for the roots of a few containers. */
const DISK = '48m';
const FOREVER = 'trap "exit 0" TERM; while true; do sleep 0.2 & wait $!; done';

describe('a node whose disk is full', () => {
  let disk: string;
  let rig: NodeRig;

  beforeAll(async () => {
    disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk]);
    const args = ['--eviction-hard=nodefs.available<5Mi', '--eviction-pressure-transition-period=1s'];
    rig = await NodeRig.open('processes', {
      root: join(disk, 'root'),
      args: [...args, '--node-status-update-frequency=1s', '--sync-frequency=5s'],
    });
    await rig.agent.start();
  });
  afterAll(async () => {
    await rig.close();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  const pressure = async (): Promise<string> => {
    const { status, text } = await rig.api.get('/api/v1/nodes/n1');
    const conditions = status === 200 ? (JSON.parse(text) as ApiObject).status.conditions : [];
    return conditions.find(({ type }: { type: string }) => type === 'DiskPressure')?.status ?? 'Unknown';
  };

  test('says so, runs no more pods, and goes on once there is room again; what runs is not harmed by its log', async () => {
    const chatty = `echo run >> /journals/stays; trap "exit 0" TERM; while true; do echo line; sleep 0.1 & wait $!; done`;
    const important = { priorityClassName: 'system-node-critical' };
    await rig.create('stays', { containers: [rig.container('c', chatty)], volumes: rig.volumes, ...important });
    await expect.poll(() => rig.journal('stays').length, SOON).toBe(1);
    await expect.poll(pressure, SOON).toBe('False');
    const filler = join(disk, 'filler');
    mkdirSync(filler);
    fill(filler);
    await expect.poll(pressure, SOON).toBe('True');
    await rig.create('late', { containers: [rig.container('c', FOREVER)], volumes: rig.volumes });
    await expect.poll(async () => (await rig.pod('late'))?.status.reason, SOON).toBe('Evicted');
    expect(rig.agent.running).toBe(true);
    rmSync(filler, { recursive: true });
    await expect.poll(pressure, SOON).toBe('False');
    await rig.create('next', {
      containers: [rig.container('c', `echo run >> /journals/next; ${FOREVER}`)],
      volumes: rig.volumes,
    });
    await expect.poll(() => rig.journal('next').length, SOON).toBe(1);
    expect(rig.agent.running).toBe(true);
  });
});

/** Writes until there is no room any more. */
function fill(folder: string): void {
  const piece = Buffer.alloc(MEBIBYTE);
  try {
    for (let at = 0; ; at++) writeFileSync(join(folder, `${at}`), piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
