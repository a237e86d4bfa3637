import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import { TestEvents } from '../testing/doubles.js';
import { type KernelRecord, openKernelLog } from './kernel-log.js';
import { OomWatcher } from './oom-watcher.js';

function watch(open?: () => Promise<never>) {
  const events = new TestEvents();
  const clock = new ManualClock();
  const told: string[] = [];
  let records: KernelRecord[] = [];
  const log = { read: async () => records.splice(0), close: async () => undefined };
  const logger = { ...silentLogger, info: (message: string) => void told.push(message) };
  const watcher = new OomWatcher({ events, clock, logger, open: open ?? (async () => log), sinceStart: () => 100 });
  const write = (at: number, ...texts: string[]) => {
    records = texts.map((text) => ({ at, text }));
  };
  return { watcher, events, clock, told, write };
}

describe('the watch for processes that the kernel kills', () => {
  it('reports those of a machine that is out of memory, and not those of a control group', async () => {
    const { watcher, events, clock, write } = watch();
    write(99, 'Out of memory: Killed process 1 (before) total-vm:1kB');
    watcher.start();
    await clock.advance(0);
    write(
      100,
      'stress invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0',
      'Memory cgroup out of memory: Killed process 3 (limited) total-vm:1kB',
      'Out of memory: Killed process 4711 (stress (1)) total-vm:1048576kB, anon-rss:1kB',
    );
    await clock.advance(10_000);
    await clock.advance(10_000);
    expect(events.all).toEqual(['SystemOOM: System OOM encountered, victim process: stress (1), pid: 4711']);
    await watcher.stop();
  });

  it('tells once where it cannot look', async () => {
    const { watcher, events, clock, told } = watch(() => Promise.reject(new Error('EACCES')));
    watcher.start();
    await clock.advance(60_000);
    await watcher.stop();
    expect([events.all, told.length]).toEqual([[], 1]);
  });
});

describe('the log of the kernel', () => {
  it('has records of a line each', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kmsg-'));
    await writeFile(join(dir, 'kmsg'), '6,1234,987654,-;text; of a record\n SUBSYSTEM=x\n');
    const log = await openKernelLog(join(dir, 'kmsg'));
    expect(await log.read()).toEqual([{ at: 987_654, text: 'text; of a record' }]);
    expect(await log.read()).toEqual([]);
    await log.close();
    await rm(dir, { recursive: true });
  });
});
