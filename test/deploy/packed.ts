import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeOnce } from '../support/data-template.js';
import { DEPLOY } from './helm.js';

const ROOT = resolve(DEPLOY, '..');

/** The npm package of this build, which `tools/package.mjs` makes once in a run. @returns the path of the file */
export async function packedOrch(): Promise<string> {
  const folder = await makeOnce('package', async (fresh) => {
    const made = execFileSync(process.execPath, [join(ROOT, 'tools', 'package.mjs')], { encoding: 'utf8' }).trim();
    copyFileSync(join(ROOT, made), join(fresh, 'orch.tgz'));
  });
  return join(folder, 'orch.tgz');
}
