import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FolderLock, lockFolder } from './folder-lock.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lock-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('the lock of a folder', () => {
  it('is had by one of many who try at once, time and again, beside what dead ones left behind', async () => {
    const folder = await mkdtemp(join(root, 'many-'));
    for (let round = 0; round < 30; round++) {
      const tries = await Promise.all(Array.from({ length: 12 }, () => lockFolder(folder)));
      const locks = tries.filter((lock): lock is FolderLock => lock !== undefined);
      expect(locks).toHaveLength(1);
      expect(await lockFolder(folder)).toBeUndefined();
      locks[0]?.release();
    }
    expect((await readdir(folder)).length).toBeLessThan(3);
  });

  it('holds where the path is too long for the address of a socket', async () => {
    const folder = await mkdtemp(join(root, 'x'.repeat(120)));
    const lock = await lockFolder(folder);
    expect(lock).toBeDefined();
    expect(await lockFolder(folder)).toBeUndefined();
    lock?.release();
    expect(await lockFolder(folder)).toBeDefined();
  });
});
