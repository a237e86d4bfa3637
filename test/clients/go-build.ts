import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { which } from '../../tools/up/index.js';
import { findGo } from './go-tools.js';
import { install } from './installed.js';

/** Modules that have the same versions of what they share, by the file beside this one that names them. */
export type Workspace = 'current' | 'release';

/** A program of a Go module. */
export interface GoBuild {
  /** Folder of the module. */
  readonly folder: string;
  /** Path of the executable that is made. */
  readonly program: string;
  /** Package of the program. Default: that of the folder. */
  readonly path?: string;
  /** Where the module belongs. Default: it is alone. */
  readonly workspace?: Workspace;
  /** Whether it is to be fast, which takes longer to compile. */
  readonly optimized?: boolean;
}

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Packages of the programs that every run of the tests needs, by their workspace. */
const PROGRAMS: Readonly<Record<Workspace, readonly string[]>> = {
  current: ['./client-go', './fluxcd', 'helm.sh/helm/v3/cmd/helm', 'helm.sh/helm/v4/cmd/helm'],
  release: ['./controller-runtime', './go-agent', './go-informer', '../deploy/strict-types'],
};

/** Options that take a quarter off the CPU of compiling: programs that run for seconds need neither be fast nor be debugged. */
const COMPILING = ['-buildvcs=false', '-gcflags=all=-N -l -dwarf=false'];
const OPTIMIZING = ['-buildvcs=false'];

/** The compiler may take more memory before it collects any; nothing is compiled for use with C. */
const ENVIRONMENT = { GOFLAGS: '', GOGC: '400', CGO_ENABLED: '0' };

/**
 * Compiles what the programs of both workspaces consist of, which takes minutes at first: tests that wait for that, several at a time,
 * run out of theirs. What cannot be compiled is left to the tests that need it.
 */
export function compileAhead(): void {
  for (const [workspace, packages] of Object.entries(PROGRAMS) as [Workspace, readonly string[]][]) {
    try {
      // Packages whose export data is asked for are compiled, and no program is linked.
      go(['list', '-export', '-deps', ...COMPILING, '-f', '{{with .Error}}{{.}}{{end}}', ...packages], HERE, workspace);
    } catch (error) {
      console.log(`not compiled ahead: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/**
 * Compiles a program, and fetches what it is made of through the module proxy where it is not there. All are compiled with the same
 * options: what was compiled for one is not compiled for another.
 * @throws Error with what Go said
 */
export function goBuild({ folder, program, path = '.', workspace, optimized = false }: GoBuild): void {
  // Nobody debugs it: symbols take a third of the time of linking.
  go(['build', ...(optimized ? OPTIMIZING : COMPILING), '-ldflags=-s -w', '-o', program, path], folder, workspace);
}

/** Runs Go to its end, one at a time: of two at once, each would compile what they share. */
function go(args: readonly string[], folder: string, workspace: Workspace | undefined): void {
  const GOWORK = workspace === undefined ? 'off' : join(HERE, `${workspace}.work`);
  const flock = which('flock');
  const [command = '', ...alone] = flock === undefined ? [findGo()] : [flock, HERE, findGo()];
  install(command, [...alone, ...args], folder, { ...ENVIRONMENT, GOWORK });
}
