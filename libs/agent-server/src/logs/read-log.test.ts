import { appendFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { logOptionsOf } from './log-options.js';
import { readLog } from './read-log.js';

let dir: string;
let path: string;
let runs: boolean;
let clock: ManualClock;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'log-'));
  [path, runs, clock] = [join(dir, '0.log'), false, new ManualClock()];
  writeFileSync(path, `${line(3, 'three')}${line(4, 'fo', 'P')}${line(4, 'ur')}not a line\n${line(5, 'five')}`);
});
afterEach(() => rmSync(dir, { recursive: true }));

const line = (second: number, text: string, tag = 'F') =>
  `2024-01-01T00:00:0${second}.123456789Z stdout ${tag} ${text}\n`;

async function read(query = '', onPiece: (text: string) => void = () => undefined): Promise<string> {
  const options = logOptionsOf(new URLSearchParams(query), Date.parse('2024-01-01T00:00:10Z'));
  let text = '';
  const source = { path, isRunning: async () => runs, clock };
  for await (const piece of readLog(source, options, new AbortController().signal)) {
    text += piece;
    onPiece(text);
  }
  return text;
}

it.each([
  ['', 'three\nfour\nfive\n'],
  ['tailLines=1', 'five\n'],
  ['tail=all', 'three\nfour\nfive\n'],
  ['tailLines=0', ''],
  ['limitBytes=7', 'three\nf'],
  ['sinceSeconds=6', 'four\nfive\n'],
  ['sinceTime=2024-01-01T00:00:05Z', 'five\n'],
  ['timestamps=true&tailLines=1', '2024-01-01T00:00:05.123456789Z five\n'],
])('what %j asks for is read', async (query, expected) => {
  expect(await read(query)).toBe(expected);
});

it.each([
  'tailLines=x',
  'tailLines=-1',
  'limitBytes=0',
  'sinceSeconds=0',
  'sinceTime=x',
  'sinceSeconds=1&sinceTime=2024-01-01T00:00:05Z',
])('%j is refused', (query) => {
  expect(() => logOptionsOf(new URLSearchParams(query), 0)).toThrow(/Invalid request|Unable to decode/);
});

it('logs that were rotated are read before', async () => {
  writeFileSync(`${path}.20240101-000001.gz`, gzipSync(line(1, 'one')));
  writeFileSync(`${path}.20240101-000002`, line(2, 'two'));
  expect(await read()).toBe('one\ntwo\nthree\nfour\nfive\n');
  expect(await read('tailLines=6')).toBe('two\nthree\nfour\nfive\n');
});

it('a log is followed until its container has ended, also when it is rotated', async () => {
  runs = true;
  let step = 0;
  const text = await read('follow=true&tailLines=1', () => {
    step++;
    if (step === 1) appendFileSync(path, line(6, 'six'));
    if (step === 2) {
      renameSync(path, `${path}.20240101-000007`);
      writeFileSync(path, line(7, 'seven'));
    }
    if (step === 3) runs = false;
  });
  expect(text).toBe('five\nsix\nseven\n');
});

it('the end of a container that writes nothing is noticed after a time', async () => {
  runs = true;
  const text = read('follow=true&tailLines=1');
  await expect.poll(() => clock.pending).toBe(1);
  runs = false;
  await clock.advance(1_000);
  expect(await text).toBe('five\n');
  expect(clock.pending).toBe(0);
});

it('a log that is not there is an error', async () => {
  rmSync(path);
  await expect(read()).rejects.toThrow('ENOENT');
});

it('reads no links beside a log, which lead to what is none of it', async () => {
  const text = await read();
  const other = join(dir, 'other');
  writeFileSync(other, line(1, 'secret'));
  symlinkSync(other, `${path}.20240101-000000`);
  expect(await read()).toBe(text);
});
