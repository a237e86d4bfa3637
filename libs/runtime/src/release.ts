import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** The version of this software, as in its packages, its chart and its changelog. */
export const RELEASE: string = version;

/** Source and date of the build. */
export interface Build {
  /** The commit of the sources; `unknown` if there was none. */
  readonly commit: string;
  /** `clean`, `dirty`, or `archive` for sources without a history. */
  readonly treeState: string;
  /** Time of the build (RFC 3339, UTC). */
  readonly date: string;
}

/** Replaced by tools/bundle.mjs. */
declare const ORCH_BUILD: Build | undefined;

/** Build data of unbundled code, of which only the time of compilation is known. */
const compiled = (): Build => ({
  commit: 'unknown',
  treeState: 'archive',
  date: `${statSync(fileURLToPath(import.meta.url))
    .mtime.toISOString()
    .slice(0, 19)}Z`,
});

/** Build data of this process. */
export const BUILD: Build = typeof ORCH_BUILD === 'undefined' ? compiled() : ORCH_BUILD;
