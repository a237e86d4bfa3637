import { appendFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventOf } from '../testing/events.js';
import { LogSink } from './log-sink.js';
import { RotatingFile, type RotationSettings } from './rotating-file.js';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audit-log-'));
  path = join(dir, 'logs', 'audit.log');
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(dir, { recursive: true });
});

const open = (settings: Partial<RotationSettings> = {}) =>
  RotatingFile.open({ path, maxBytes: 20, maxAgeDays: 0, maxBackups: 0, compress: false, ...settings });
const backups = async () => (await readdir(join(dir, 'logs'))).filter((name) => name !== 'audit.log').sort();
const text = async (name: string) => readFile(join(dir, 'logs', name), 'utf8');

describe('a file', () => {
  it('is made for its owner alone, and goes on where it was', async () => {
    for (const line of ['one\n', 'two\n']) {
      const file = await open();
      await file.write(line);
      await file.close();
    }
    expect(await text('audit.log')).toBe('one\ntwo\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(dir, 'logs'))).mode & 0o777).toBe(0o700);
  });

  it('is given up when it is full: no line is lost, divided or out of order', async () => {
    let at = Date.parse('2026-01-02T03:04:05.678Z');
    const file = await open({ now: () => at++ });
    const lines = Array.from({ length: 9 }, (_, number) => `line ${number}\n`);
    await Promise.all(lines.map((line) => file.write(line)));
    await file.close();
    const old = await backups();
    expect(old).toHaveLength(4);
    expect(old[0]).toBe('audit-2026-01-02T03-04-05.678.log');
    const all = await Promise.all([...old, 'audit.log'].map(text));
    expect(all.join('')).toBe(lines.join(''));
    for (const each of all) expect(each.length).toBeLessThanOrEqual(20);
  });

  it('takes no line that is longer than a file may be', async () => {
    const file = await open();
    await expect(file.write(`${'x'.repeat(20)}\n`)).rejects.toThrow('exceeds maximum file size');
    await file.write('short\n');
    await file.close();
    expect(await text('audit.log')).toBe('short\n');
  });

  it('keeps as many old ones as it may, no older than it may, compressed', async () => {
    const day = 86_400_000;
    let at = Date.parse('2026-01-10T00:00:00Z');
    const file = await open({ maxBackups: 2, maxAgeDays: 5, compress: true, now: () => at });
    await writeFile(join(dir, 'logs', 'audit-2026-01-01T00-00-00.000.log'), 'ancient');
    await writeFile(join(dir, 'logs', 'audit-other.log'), 'not ours');
    for (let number = 0; number < 4; number++) {
      await file.write(`number ${number} of all\n`.slice(0, 19));
      at += day / 24;
    }
    await file.close();
    const old = await backups();
    expect(old).toEqual(
      ['audit-2026-01-10T01-00-00.000.log.gz', 'audit-2026-01-10T02-00-00.000.log.gz', 'audit-other.log'].map((name) =>
        name === 'audit-other.log' ? name : expect.stringMatching(/^audit-2026-01-10T0[123]-00-00\.000\.log\.gz$/),
      ),
    );
    expect(gunzipSync(await readFile(join(dir, 'logs', old[0] ?? ''))).toString()).toMatch(/^number \d of all/);
  });

  it('that somebody else has moved away is made anew, and what another process gave up is left alone', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const [first, second] = [await open({ maxBytes: 1000 }), await open({ maxBytes: 1000 })];
    await first.write('first\n');
    await second.write('second\n');
    await rename(path, join(dir, 'logs', 'moved'));
    vi.advanceTimersByTime(1_000);
    await first.write('third\n');
    await second.write('fourth\n');
    await Promise.all([first.close(), second.close()]);
    expect(await text('moved')).toBe('first\nsecond\n');
    expect(await text('audit.log')).toBe('third\nfourth\n');
  });

  it('that cannot be written to fails those who write', async () => {
    await appendFile(join(dir, 'plain'), '');
    await expect(open({ path: join(dir, 'plain', 'audit.log') })).rejects.toThrow();
  });
});

describe('lines', () => {
  const written = async (format: 'json' | 'legacy') => {
    const file = await open({ maxBytes: 10_000 });
    await new LogSink(file, format).write([eventOf('1', 3, 'Request'), eventOf('2')]);
    await file.close();
    return (await text('audit.log')).split('\n');
  };

  it('are whole events as JSON', async () => {
    const [first, second, end] = await written('json');
    expect(JSON.parse(first ?? '')).toMatchObject({ kind: 'Event', auditID: '1', requestObject: 'xxx' });
    expect(JSON.parse(second ?? '')).toMatchObject({ auditID: '2' });
    expect(end).toBe('');
  });

  it('are text where that is asked for, as the reference writes it', async () => {
    expect((await written('legacy'))[0]).toBe(
      '2026-01-02T03:04:05.6789Z AUDIT: id="1" stage="ResponseComplete" ip="<unknown>" method="list" user="jane" groups="\\"dev\\",\\"ops\\"" as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" uri="/api/v1/pods" response="<deferred>"',
    );
  });
});
