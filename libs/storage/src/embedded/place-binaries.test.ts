import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeBinaries } from './place-binaries.js';

let root: string;
let installed: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'place-'));
  await chmod(root, 0o755);
  installed = join(root, 'closed', 'package');
  await mkdir(join(installed, 'native', 'bin'), { recursive: true, mode: 0o700 });
  await writeFile(join(installed, 'native', 'bin', 'program'), '#!/bin/sh\necho it runs\n', { mode: 0o700 });
  await writeFile(join(installed, 'native', 'data'), '', { mode: 0o600 });
  await symlink('data', join(installed, 'native', 'alias'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const shelf = async (name: string, mode = 0o755) => {
  const path = join(root, name);
  await mkdir(path);
  await chmod(path, mode);
  return path;
};
const anyone = { uid: 65534, gid: 65534, cwd: '/' };

// Placing is for root alone, who alone can switch users.
describe.runIf(process.getuid?.() === 0)('programs placed for another user', () => {
  it('are run by a user who cannot come to where they are installed', async () => {
    expect(() => execFileSync(join(installed, 'native', 'bin', 'program'), anyone)).toThrow(/EACCES/);
    const copy = await placeBinaries(installed, '1', async () => true, [join(root, 'new', 'shelf')]);
    expect(execFileSync(join(copy, 'native', 'bin', 'program'), anyone).toString()).toBe('it runs\n');
    expect(await readlink(join(copy, 'native', 'alias'))).toBe('data');
    for (const path of ['', 'native', 'native/bin', 'native/bin/program', 'native/data']) {
      const { uid, mode } = await stat(join(copy, path));
      expect([uid, mode & 0o022]).toEqual([0, 0]);
    }
  });

  it('are copied once for a version, also by several at once', async () => {
    const shelves = [await shelf('once')];
    const place = (key: string) => placeBinaries(installed, key, async () => true, shelves);
    const copies = await Promise.all([place('1'), place('1'), place('1')]);
    expect(new Set(copies).size).toBe(1);
    const before = await stat(join(copies[0] ?? '', 'native', 'data'));
    await place('1');
    expect((await stat(join(copies[0] ?? '', 'native', 'data'))).ino).toBe(before.ino);
    expect(await place('2')).not.toBe(copies[0]);
  });

  it('do not lie where others could change them, or cannot run them', async () => {
    const open = await shelf('open', 0o777);
    const foreign = await shelf('foreign');
    execFileSync('chown', ['65534', foreign]);
    const elsewhere = await shelf('elsewhere');
    const link = join(root, 'link');
    await symlink(elsewhere, link);
    const good = await shelf('good');
    const shelves = [open, foreign, link, await shelf('no-execution'), good];
    const isUsable = async (copy: string) => !copy.includes('no-execution');
    expect(await placeBinaries(installed, '1', isUsable, shelves)).toBe(join(good, 'postgresql-1'));
    await expect(placeBinaries(installed, '1', isUsable, [open, join(root, 'no-execution')])).rejects.toThrow(
      /open is not a folder that only root can write to; \S+ cannot be run there/,
    );
  });
});
