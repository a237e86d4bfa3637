import { dirname, join } from 'node:path';

/** What decides which files of tests are left out. Paths are from the root of the workspace, those of `suites` from `test/`. */
export interface Selection {
  /** Files that have changed since every test was last tried. */
  readonly changed: readonly string[];
  /** Files of tests that may be left out, with the files and folders that each is about. */
  readonly suites: Readonly<Record<string, readonly string[]>>;
  /** Files and folders of which any change has every test tried. */
  readonly belowEverything: readonly string[];
  /** Returns the tests that import a file of `test/` or `tools/`, by others too. */
  readonly testsOf: (path: string) => readonly string[];
}

/** Returns the files of tests that nothing that has changed is about, by their paths from `test/`. */
export function leftOut({ changed, suites, belowEverything, testsOf }: Selection): string[] {
  if (changed.some((path) => isWithin(path, belowEverything))) return [];
  const names = Object.keys(suites);
  const reached = new Set(changed.filter((path) => /^(?:test|tools)\//.test(path)).flatMap(testsReading));
  return names.filter((name) => !reached.has(testPath(name)) && !changed.some((path) => isWithin(path, suites[name])));

  /** What no test imports is read as data, or started as a program, by those that lie nearest. */
  function testsReading(path: string): readonly string[] {
    const tests = testsOf(path);
    return tests.length > 0 ? tests : nearestTests(dirname(path), names.map(testPath));
  }
}

/** The tests below a folder, or below the nearest folder above it that has any; none outside of `test/`. */
function nearestTests(folder: string, tests: readonly string[]): readonly string[] {
  if (!folder.startsWith('test/')) return [];
  const below = tests.filter((test) => test.startsWith(`${folder}/`));
  return below.length > 0 ? below : nearestTests(dirname(folder), tests);
}

const testPath = (name: string): string => join('test', name);

const isWithin = (path: string, places: readonly string[] = []): boolean =>
  places.some((place) => path === place || path.startsWith(`${place}/`));
