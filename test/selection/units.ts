import { join } from 'node:path';

/** What decides which unit tests are run. Paths are from the root of the workspace. */
export interface UnitSelection {
  /** Files that have changed since every test was last tried. */
  readonly changed: readonly string[];
  /** All files of tests of the packages. */
  readonly tests: readonly string[];
  /** Files and folders of which any change has every test tried. */
  readonly belowEverything: readonly string[];
  /** Returns the tests that import a file, by others too. */
  readonly testsOf: (path: string) => readonly string[];
}

/**
 * Returns the unit tests that import something that has changed, by others too. Of what is no source, as data and settings of a
 * package, the package and all that imports it may read.
 */
export function affectedUnits({ changed, tests, belowEverything, testsOf }: UnitSelection): readonly string[] {
  if (changed.some((path) => belowEverything.some((place) => path === place || path.startsWith(`${place}/`))))
    return tests;
  const affected = new Set(changed.flatMap((path) => [...testsOf(path), ...(isSource(path) ? [] : readersOf(path))]));
  return tests.filter((test) => affected.has(test));

  function readersOf(path: string): readonly string[] {
    const [, folder] = /^((?:libs|services)\/[^/]+)\//.exec(path) ?? [];
    if (folder === undefined) return [];
    return [...testsOf(join(folder, 'src/index.ts')), ...tests.filter((test) => test.startsWith(`${folder}/`))];
  }
}

const isSource = (path: string): boolean => /^(?:libs|services)\/[^/]+\/src\/.*\.ts$/.test(path);
