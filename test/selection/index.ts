import { fileURLToPath } from 'node:url';
import { ImportGraph } from '../../tools/mutation/related-tests.js';
import { changedSince, type FullRun, lastFullRun, testSources, unitTests } from './last-full-run.js';
import { BELOW_EVERYTHING, BELOW_UNITS, PERIODIC_SUITES } from './periodic-suites.js';
import { leftOut } from './selection.js';
import { affectedUnits } from './units.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Chooses the files of tests that are left out, by their paths from `test/`, and prints them. With `TEST_SELECTION=changed` these are the files
 * of `PERIODIC_SUITES` whose rooms have not changed since all tests passed; none where that was long ago, or in a commit that is not known.
 */
export function filesToLeaveOut(): readonly string[] {
  const since = changes();
  if (!since) return [];
  const graph = new ImportGraph(ROOT, testSources(ROOT));
  const files = leftOut({
    changed: since.files,
    suites: PERIODIC_SUITES,
    belowEverything: BELOW_EVERYTHING,
    testsOf: (path) => graph.testsOf(path),
  });
  console.log(
    `${files.length} of ${Object.keys(PERIODIC_SUITES).length} files of periodic tests are about nothing that has`,
  );
  console.log(`changed since ${textOf(since.run)}: ${files.join(', ')}`);
  return files;
}

/**
 * Chooses the unit tests of packages that are run, by their paths from the root: with `TEST_SELECTION=changed` those that import what has changed
 * since all tests passed. Returns undefined for all of them.
 */
export function unitsToRun(): readonly string[] | undefined {
  const since = changes();
  if (!since) return undefined;
  const graph = new ImportGraph(ROOT);
  const tests = unitTests(ROOT);
  const affected = affectedUnits({
    changed: since.files,
    tests,
    belowEverything: BELOW_UNITS,
    testsOf: (path) => graph.testsOf(path),
  });
  if (affected.length === tests.length) return undefined;
  console.log(
    `${affected.length} of ${tests.length} files of unit tests import what has changed since ${textOf(since.run)}`,
  );
  return affected;
}

/** What has changed since all tests passed; undefined where everything is to be tried. */
function changes(): { readonly run: FullRun; readonly files: readonly string[] } | undefined {
  if (process.env.TEST_SELECTION !== 'changed') return undefined;
  const run = lastFullRun(ROOT, Date.now());
  const files = run && changedSince(ROOT, run);
  return run && files && { run, files };
}

const textOf = ({ commit, day }: FullRun): string =>
  `${commit.slice(0, 8)} of ${day}, when every test passed (make test-full)`;
