import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
}

const HERE = fileURLToPath(new URL('.', import.meta.url));

/**
 * Compiles a program, and fetches what it is made of through the module proxy where it is not there. All are compiled with the same
 * options: what was compiled for one is not compiled for another.
 * @throws Error with what Go said
 */
export function goBuild({ folder, program, path = '.', workspace }: GoBuild): void {
  const GOWORK = workspace === undefined ? 'off' : join(HERE, `${workspace}.work`);
  // Nobody debugs it: symbols take a third of the time of linking.
  install(findGo(), ['build', '-buildvcs=false', '-ldflags=-s -w', '-o', program, path], folder, {
    GOFLAGS: '',
    GOWORK,
  });
}
