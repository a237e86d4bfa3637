import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** The version of this software, as its packages, its chart and its changelog say it. */
export const RELEASE: string = version;

/** What a process was built of. */
export interface Build {
  /** The commit of the sources; `unknown` where there was none. */
  readonly commit: string;
  /** `clean`, `dirty`, or `archive` for sources without a history. */
  readonly treeState: string;
  /** As RFC 3339 has it, in UTC. */
  readonly date: string;
}

/** What tools/bundle.mjs writes in the place of this name. */
declare const ORCH_BUILD: Build | undefined;

/** Of what is not bundled only is known when it was compiled. */
const compiled = (): Build => ({
  commit: 'unknown',
  treeState: 'archive',
  date: `${statSync(fileURLToPath(import.meta.url))
    .mtime.toISOString()
    .slice(0, 19)}Z`,
});

/** What this process was built of. */
export const BUILD: Build = typeof ORCH_BUILD === 'undefined' ? compiled() : ORCH_BUILD;
