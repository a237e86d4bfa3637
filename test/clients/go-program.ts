import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { goBuild, type Workspace } from './go-build.js';

/** Builds the program of a Go module beside this file once a test file; the path of the executable, which goes at its end. */
export function goProgram(module: string, workspace?: Workspace): () => string {
  let dir: string | undefined;
  afterAll(() => {
    if (dir) rmSync(dir, { recursive: true, force: true });
  });
  return () => {
    if (dir === undefined) {
      dir = mkdtempSync(join(tmpdir(), 'orch-go-'));
      const folder = fileURLToPath(new URL(`./${module}`, import.meta.url));
      goBuild({ folder, program: join(dir, module), ...(workspace && { workspace }) });
    }
    return join(dir, module);
  };
}
