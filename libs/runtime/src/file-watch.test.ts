import { EventEmitter, once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FileWatch } from './file-watch.js';
import { ManualClock } from './testing/manual-clock.js';

const NEVER = 1e9;
let dir: string;
let watch: FileWatch | undefined;
let looks: number;
const onLook = async () => void looks++;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'file-watch-'));
  looks = 0;
});
afterEach(() => {
  watch?.close();
  rmSync(dir, { recursive: true });
});

describe('FileWatch', () => {
  it('tells of a file that is replaced', async () => {
    const file = join(dir, 'tls.crt');
    writeFileSync(file, '1');
    watch = new FileWatch({ files: [file], onLook, everyMs: NEVER });
    writeFileSync(`${file}.new`, '2');
    renameSync(`${file}.new`, file);
    await expect.poll(() => looks).toBeGreaterThan(0);
  });

  it('tells of a mounted Secret that is replaced', async () => {
    mkdirSync(join(dir, '..1'));
    mkdirSync(join(dir, '..2'));
    symlinkSync('..1', join(dir, '..data'));
    symlinkSync('..data/tls.crt', join(dir, 'tls.crt'));
    watch = new FileWatch({ files: [join(dir, 'tls.crt')], onLook, everyMs: NEVER });
    symlinkSync('..2', join(dir, '..data_tmp'));
    renameSync(join(dir, '..data_tmp'), join(dir, '..data'));
    await expect.poll(() => looks).toBeGreaterThan(0);
  });

  it('tells of a mounted Secret at once, however often it is replaced', async () => {
    for (const version of ['..1', '..2']) mkdirSync(join(dir, version));
    symlinkSync('..1', join(dir, '..data'));
    symlinkSync('..data/tls.crt', join(dir, 'tls.crt'));
    const clock = new ManualClock();
    watch = new FileWatch({ files: [join(dir, 'tls.crt')], onLook, everyMs: NEVER, clock });
    let passed = 0;
    const pass = async () => {
      await clock.advance(100);
      passed += 100;
      return looks;
    };
    for (let times = 1; times <= 5; times++) {
      symlinkSync(`..${(times % 2) + 1}`, join(dir, '..data_tmp'));
      renameSync(join(dir, '..data_tmp'), join(dir, '..data'));
      await expect.poll(pass, { interval: 20, timeout: 20_000 }).toBeGreaterThanOrEqual(times);
    }
    // As a neighbour it would have waited for 1, 2, 4, 8 and 16 s.
    expect(passed).toBeLessThan(16_000);
  });

  it.each([
    ['at once', async () => undefined],
    ['in a while', (lines: EventEmitter) => once(lines, 'line')],
  ])('is not kept from looking %s by others in the same folder, and minds them less and less', async (_, done) => {
    const [file, log] = [join(dir, 'keys.yaml'), join(dir, 'audit.log')];
    writeFileSync(file, '1');
    writeFileSync(log, '');
    const clock = new ManualClock();
    const look = async () => {
      looks++;
      await done(lines);
    };
    watch = new FileWatch({ files: [file], onLook: look, everyMs: NEVER, clock });
    const lines = new EventEmitter();
    const writer = setInterval(() => {
      appendFileSync(log, 'line\n');
      lines.emit('line');
    }, 5);
    onTestFinished(() => clearInterval(writer));
    let passed = 0;
    const pass = async () => {
      await clock.advance(100);
      passed += 100;
      return looks;
    };
    await expect.poll(pass, { interval: 10, timeout: 20_000 }).toBe(3);
    expect(passed).toBeGreaterThanOrEqual(1_000 + 2_000 + 4_000);
  });

  it('tells of a link in the folder that is replaced, whatever it is called', async () => {
    for (const version of ['1', '2']) mkdirSync(join(dir, version));
    symlinkSync('1', join(dir, 'live'));
    symlinkSync('live/tls.crt', join(dir, 'tls.crt'));
    watch = new FileWatch({ files: [join(dir, 'tls.crt')], onLook, everyMs: NEVER });
    symlinkSync('2', join(dir, 'next'));
    renameSync(join(dir, 'next'), join(dir, 'live'));
    await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThan(0);
  });

  it('looks while a file goes on to change', async () => {
    const file = join(dir, 'keys.yaml');
    watch = new FileWatch({ files: [file], onLook, everyMs: NEVER });
    const changes = setInterval(() => appendFileSync(file, 'x'), 10);
    onTestFinished(() => clearInterval(changes));
    await expect.poll(() => looks).toBeGreaterThan(2);
  });

  it('looks by itself, also where it cannot be told, one look at a time', async () => {
    const clock = new ManualClock();
    let finish: (() => void) | undefined;
    const slow = () => {
      looks++;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    };
    watch = new FileWatch({ files: [join(dir, 'none', 'such')], onLook: slow, everyMs: 1000, clock });
    await clock.advance(1000);
    await clock.advance(5000);
    expect(looks).toBe(1);
    finish?.();
    await clock.advance(0);
    await clock.advance(1000);
    expect(looks).toBe(2);
    watch.close();
    finish?.();
    await clock.advance(10_000);
    expect([looks, clock.pending]).toEqual([2, 0]);
  });
});
