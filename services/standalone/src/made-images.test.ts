import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEMO_IMAGE, makeImage } from './made-images.js';

it('removes what a process that ended half way has left, which would be taken for an image', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'images-'));
  await mkdir(join(folder, '.making-a', 'root'), { recursive: true });
  await writeFile(join(folder, DEMO_IMAGE.file), '');
  expect(await makeImage(DEMO_IMAGE, folder)).toBe(join(folder, DEMO_IMAGE.file));
  expect(await readdir(folder)).toEqual([DEMO_IMAGE.file]);
  await rm(folder, { recursive: true });
});
