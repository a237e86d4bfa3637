import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goBuild } from '../../clients/go-build.js';

const MODULE = fileURLToPath(new URL('.', import.meta.url));

/** Decodes objects into the Go types of release 1.27, strictly. */
export class StrictTypes {
  readonly #dir = mkdtempSync(join(tmpdir(), 'strict-types-'));
  readonly #program = join(this.#dir, 'strict-types');

  /** Compiles the program; fetches what it is made of through the module proxy at first. */
  constructor() {
    goBuild({ folder: MODULE, program: this.#program, workspace: 'release' });
  }

  /** How many objects there are in YAML documents. Throws with what is wrong with them. */
  count(documents: string): number {
    const { status, stdout, stderr } = spawnSync(this.#program, { input: documents, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return Number(stdout);
  }

  close(): void {
    rmSync(this.#dir, { recursive: true });
  }
}
