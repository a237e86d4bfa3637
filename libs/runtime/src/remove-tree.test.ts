import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeTree } from './remove-tree.js';

const NAME = 'n'.repeat(200);
/** Makes a line of folders that has more characters than a path may have. */
const DEEP = `i=0; while [ $i -lt 50 ]; do mkdir ${NAME}; cd ${NAME}; echo x >file; ln -s /etc link; i=$((i+1)); done`;

it('removes folders that are deeper than paths can tell, and what links in them name stays', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'orch-tree-'));
  const [tree, outside] = [join(dir, 'tree'), join(dir, 'outside')];
  mkdirSync(join(tree, 'a/b'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), 'kept');
  symlinkSync(outside, join(tree, 'a/link'));
  execFileSync('sh', ['-c', DEEP], { cwd: join(tree, 'a') });
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept');
  await removeTree(dir);
});

it('removes single files, and nothing where there is nothing', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'orch-tree-'));
  writeFileSync(join(dir, 'file'), '');
  await removeTree(join(dir, 'file'));
  await removeTree(join(dir, 'none'));
  rmdirSync(dir);
});
