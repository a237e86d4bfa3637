import { describe, expect, test } from 'vitest';
import { ASSETS, runPackage } from './run-suite.js';
import { SUITES } from './suites.js';

/** Compiling and running one package. */
const LIMIT_MS = 3_600_000;

describe.each(SUITES)('the tests of $module $version', (suite) => {
  test.each(suite.packages)(
    'of %s pass',
    async (path) => {
      const { failures, passed } = await runPackage(suite, path, ASSETS);
      expect(failures.filter((name) => !suite.failsThereToo?.includes(name))).toEqual([]);
      expect(passed).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
