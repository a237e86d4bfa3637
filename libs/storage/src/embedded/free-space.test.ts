import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bytesOf, isOutOfSpace } from './free-space.js';

const FULL = 'FATAL: could not write lock file "postmaster.pid": No space left on device\n';
let folder: string;
let log: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orch-space-'));
  log = join(folder, 'postgres.log');
});
afterEach(() => rm(folder, { recursive: true }));

it('is told by what a server has logged since, not by what it said of an earlier time', async () => {
  expect(await isOutOfSpace(folder, log)).toBe(false);
  await writeFile(log, FULL);
  expect(await isOutOfSpace(folder, log)).toBe(true);
  const logged = await bytesOf(log);
  // As where the next attempt writes nothing, for its program is gone.
  expect(await isOutOfSpace(folder, log, logged)).toBe(false);
  await appendFile(log, 'LOG: starting PostgreSQL\n');
  expect(await isOutOfSpace(folder, log, logged)).toBe(false);
  await appendFile(log, FULL);
  expect(await isOutOfSpace(folder, log, logged)).toBe(true);
});

it('is told by a log that has begun anew', async () => {
  await writeFile(log, FULL);
  expect(await isOutOfSpace(folder, log, 1 << 20)).toBe(true);
});
