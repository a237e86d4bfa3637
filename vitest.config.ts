import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/longest-first.js';

/** Unit tests run on the sources of every package (`source` export condition), with no build before. */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: [
      ...['libs/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts'],
      ...['tools/{checks,mutation}/*.test.ts', 'test/{on-cluster,selection}/**/*.test.ts'],
    ],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['tools/fail-on-listener-leaks.mjs'],
    reporters: process.env.CI ? ['default', './test/fail-on-skips.ts'] : ['default'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes at once, but on a machine that has much else to do.
    expect: { poll: { timeout: 10_000 } },
    // Those that wait for databases to start and to end: none is left alone with one at the end.
    sequence: { sequencer: LongestFirst },
    // Files share the modules of their process: to load all of them for each costs more than most tests do.
    isolate: false,
    // By default one of two cores does nothing; and databases and clocks are waited for all the while.
    maxWorkers: Math.max(3, availableParallelism() - 1),
  },
});
