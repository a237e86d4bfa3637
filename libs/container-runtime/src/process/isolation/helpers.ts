import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HELPERS } from '../supervisor/launcher.js';
import { programOf } from './program-of.js';

/** Programs that run within containers before their own. */
const PROGRAMS = ['setpriv', 'env'] as const;

/** Programs of the node in a folder that containers see: images need not have them. */
export class Helpers {
  readonly #loader: string;

  /** @param folder in which they are put, with their libraries */
  constructor(readonly folder: string) {
    const making = `${folder}.making`;
    rmSync(making, { recursive: true, force: true });
    mkdirSync(making, { recursive: true, mode: 0o755 });
    const libraries = new Set(PROGRAMS.flatMap((name) => librariesOf(programOf(name))));
    for (const name of PROGRAMS) copyFileSync(realpathSync(programOf(name)), join(making, name));
    for (const library of libraries) copyFileSync(library, join(making, basename(library)));
    this.#loader = [...libraries].map((path) => basename(path)).find((name) => /^ld[-.]/.test(name)) ?? '';
    if (this.#loader === '') throw new Error('the loader of shared libraries was not found');
    // Containers that run have the folder that they were started with.
    if (existsSync(folder)) rmSync(making, { recursive: true });
    else renameSync(making, folder);
  }

  /** Returns the arguments that run a helper within a container. */
  run(name: (typeof PROGRAMS)[number], ...args: readonly string[]): string[] {
    return [`${HELPERS}/${this.#loader}`, '--library-path', HELPERS, `${HELPERS}/${name}`, ...args];
  }
}

function librariesOf(program: string): string[] {
  const text = execFileSync(programOf('ldd'), [program], { encoding: 'utf8' });
  return [...text.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
}
