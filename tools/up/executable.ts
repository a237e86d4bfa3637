import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ORCH = join(ROOT, 'services', 'orch');

/** `orch` of this build. */
export const EXECUTABLE = join(ORCH, 'bin', 'orch.js');
/** `orchctl` of this build. */
export const ORCHCTL = join(ORCH, 'bin', 'orchctl.js');

/** Path of the entry module of `orch`, unbundled: one file per module. */
export const UNBUNDLED = join(ORCH, 'dist', 'index.js');

const changed = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Whether a package was built after the bundle, by `tsc -b` alone: servers would run the old code. */
function isStale(): boolean {
  const bundle = changed(join(ORCH, 'dist', 'bundle', 'orch.js'));
  const packages = ['libs', 'services'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => join(ROOT, folder, name)),
  );
  return packages.some((folder) => changed(join(folder, 'dist', '.tsbuildinfo')) > bundle);
}

if (isStale()) execFileSync(process.execPath, [join(ROOT, 'tools', 'bundle.mjs')], { stdio: 'inherit' });
