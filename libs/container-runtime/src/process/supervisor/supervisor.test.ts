import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unpackingArguments } from '../isolation/environment.js';
import { ContainerLog } from './container-log.js';
import { FRAME, frame, SupervisorFrameReader } from './frames.js';
import { isLauncher, LAUNCH_FAILURE, launcherArgv } from './launcher.js';

describe('frames', () => {
  it('come out as they went in, in whatever pieces', () => {
    const seen: [number, string][] = [];
    const reader = new SupervisorFrameReader((kind, content) => seen.push([kind, content.toString()]));
    const bytes = Buffer.concat([
      frame(FRAME.stdin, Buffer.from('abc')),
      frame(FRAME.stdinEnd),
      frame(FRAME.exit, Buffer.from('7')),
    ]);
    for (const byte of bytes) reader.push(Buffer.of(byte));
    expect(seen).toEqual([
      [FRAME.stdin, 'abc'],
      [FRAME.stdinEnd, ''],
      [FRAME.exit, '7'],
    ]);
  });

  it('are refused when they are too long', () => {
    const reader = new SupervisorFrameReader(() => undefined);
    expect(() => reader.push(Buffer.from([0, 0xff, 0, 0, 0]))).toThrow('a frame of');
  });
});

describe('stages of a launch', () => {
  const plan = { argv: ['/usr/bin/bwrap', '--x'], cwd: '/', announces: true, cgroups: ['/g'], env: {}, oomScoreAdj: 5 };

  it('are told from the program', () => {
    expect(isLauncher(launcherArgv(plan, '/info'))).toBe(true);
    expect(isLauncher(['/usr/bin/bwrap', '--die-with-parent'])).toBe(true);
    expect(isLauncher(['/.orch/ld.so', '--library-path'])).toBe(true);
    expect(isLauncher(['/usr/bin/env', ...unpackingArguments([{ name: 'A', value: 'b' }])])).toBe(true);
    for (const program of [['sh', '-c', 'x'], ['/usr/bin/env', 'A=b'], ['bwrap'], ['/bin/sh', '-c', 'x', 'orch']])
      expect(isLauncher(program)).toBe(false);
  });

  it('begin only while the supervisor that has begun them is there', () => {
    const [program = '', ...args] = launcherArgv(
      { argv: ['/bin/echo', 'run'], cwd: '/', announces: false, cgroups: [] },
      '',
    );
    const run = (parent: number) =>
      spawnSync(
        program,
        args.map((word) => (word === `${process.pid}` ? `${parent}` : word)),
        { encoding: 'utf8' },
      ).stdout;
    expect([run(process.pid), run(process.pid + 1)]).toEqual(['run\n', '']);
  });

  it('say why they have failed', () => {
    const words = (text: string) => LAUNCH_FAILURE.exec(text)?.[1];
    expect(words("/.orch/env: '/no': No such file or directory\n")).toBe("'/no': No such file or directory");
    expect(words("bwrap: Can't chdir to /x\n")).toBe("Can't chdir to /x");
    expect(words('setpriv: failed to execute x\n')).toBe('failed to execute x');
    expect(words('sh: x: not found\n')).toBeUndefined();
  });
});

describe('the log of a supervisor', () => {
  it('goes on in a new file once it is reopened, and loses nothing', () => {
    const dir = mkdtempSync(join(tmpdir(), 'orch-log-'));
    const path = join(dir, '0.log');
    const log = new ContainerLog(path);
    log.write('stdout', Buffer.from('one\ntw'));
    renameSync(path, `${path}.1`);
    log.write('stderr', Buffer.from('err\n'));
    log.reopen();
    log.write('stdout', Buffer.from('o'));
    log.close();
    const texts = (file: string) =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ').slice(1).join(' '));
    expect([texts(`${path}.1`), texts(path)]).toEqual([['stdout F one', 'stderr F err'], ['stdout P two']]);
    rmSync(dir, { recursive: true });
  });

  it('loses what there is no room for, and the container goes on', () => {
    const log = new ContainerLog('/dev/full');
    log.write('stdout', Buffer.from('one\ntw'));
    log.reopen();
    log.close();
  });

  it.runIf(process.getuid?.() === 0)('goes on in a line of its own after one that was cut off', () => {
    const dir = mkdtempSync(join(tmpdir(), 'orch-log-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', dir]);
    try {
      const path = join(dir, '0.log');
      const log = new ContainerLog(path);
      const lines = Array.from({ length: 200 }, (_unused, at) => `line ${at}\n`).join('');
      for (let round = 0; round < 3; round++) log.write('stdout', Buffer.from(lines));
      execFileSync('mount', ['-o', 'remount,size=64k', dir]);
      log.write('stdout', Buffer.from('again\n'));
      log.close();
      expect(readFileSync(path, 'utf8').split('\n').at(-2)).toMatch(/^\S+ stdout F again$/);
    } finally {
      execFileSync('umount', [dir]);
      rmSync(dir, { recursive: true });
    }
  });
});
