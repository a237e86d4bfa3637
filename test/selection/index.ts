import { fileURLToPath } from 'node:url';
import { ImportGraph } from '../../tools/mutation/related-tests.js';
import { changedSince, lastFullRun, testSources } from './last-full-run.js';
import { BELOW_EVERYTHING, PERIODIC_SUITES } from './periodic-suites.js';
import { leftOut } from './selection.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Chooses the files of tests that are left out, by their paths from `test/`, and prints them. With `TEST_SELECTION=changed` these are the files
 * of `PERIODIC_SUITES` whose rooms have not changed since all tests passed; none where that was long ago, or in a commit that is not known.
 */
export function filesToLeaveOut(): readonly string[] {
  if (process.env.TEST_SELECTION !== 'changed') return [];
  const run = lastFullRun(ROOT, Date.now());
  const changed = run && changedSince(ROOT, run);
  if (changed === undefined) return [];
  const graph = new ImportGraph(ROOT, testSources(ROOT));
  const files = leftOut({
    changed,
    suites: PERIODIC_SUITES,
    belowEverything: BELOW_EVERYTHING,
    testsOf: (path) => graph.testsOf(path),
  });
  const since = `${run?.commit.slice(0, 8)} of ${run?.day}, when every test passed (make test-full)`;
  console.log(
    `${files.length} of ${Object.keys(PERIODIC_SUITES).length} files of periodic tests are about nothing that has`,
  );
  console.log(`changed since ${since}: ${files.join(', ')}`);
  return files;
}
