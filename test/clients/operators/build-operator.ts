import { join } from 'node:path';
import { goModule } from '../go-module.js';
import { findGo } from '../go-tools.js';
import { install, installed } from '../installed.js';

/** A program that reconciles kinds of its own, as its project publishes it. */
export interface Operator {
  readonly name: string;
  readonly module: string;
  /** Version of the module, for example `v1.1.0`. */
  readonly version: string;
  /** Folder of its main package in the module; `.` is the module's own. */
  readonly main: string;
  /** Folder of the definitions of its kinds in the module, of one whose manifests need nothing before they are applied. */
  readonly definitions?: string;
}

/** Paths that are needed to run an operator. */
export interface BuiltOperator {
  readonly program: string;
  /** The module. */
  readonly source: string;
}

/**
 * Compiles an operator, unchanged, from its published module: some minutes at first, then it is in the user's cache. Throws when Go
 * or the modules cannot be had.
 */
export function buildOperator({ name, module, version, main }: Omit<Operator, 'definitions'>): BuiltOperator {
  const folder = installed(`${name}-${version}`, (making) => {
    const go = findGo();
    const path = main === '.' ? module : `${module}/${main}`;
    install(go, ['mod', 'init', 'operator'], making);
    install(go, ['get', '-tool', `${path}@${version}`], making);
    install(go, ['build', '-mod=mod', '-p=2', '-buildvcs=false', '-ldflags=-s -w', '-o', name, path], making);
  });
  return { program: join(folder, name), source: goModule(module, version) };
}
