import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import LongestFirst from './longest-first.js';

type ProjectConfig = NonNullable<TestProjectInlineConfiguration['test']>;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Files that a run on a change leaves out (`run.ts`), by their paths from here. */
const LEFT_OUT = (process.env.TEST_LEAVE_OUT ?? '').split(' ').filter((name) => name !== '');

/** Files at once of what waits most of its time: for a lease to end, a server to start, an alert to fire. */
const AT_ONCE = 4;

/** Sixty files of the same modules and the same servers: to load them for each file anew takes a quarter of the CPU of their workers. */
const CONFORMANCE: ProjectConfig = {
  maxWorkers: AT_ONCE,
  isolate: false,
  globalSetup: [here('conformance/global-setup.ts')],
};

const LONG: ProjectConfig = { include: ['sight/*.long.ts'], maxWorkers: AT_ONCE };

/** Tests against real servers, as built into `dist`. Run with `npx vitest run --config test/vitest.config.ts`. */
export default defineConfig({
  root: here('.'),
  test: {
    globalSetup: [here('global-setup.ts')],
    setupFiles: [here('../tools/fail-on-listener-leaks.mjs')],
    reporters: process.env.CI ? ['default', here('fail-on-skips.ts')] : ['default'],
    // What is built is loaded by Node itself: transformed, it takes twice as long for each file.
    server: { deps: { external: [/\/(libs|services)\/[^/]+\/dist\//] } },
    exclude: [...configDefaults.exclude, ...LEFT_OUT],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // What is waited for comes at once, but on a machine that has much else to do.
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      suite('load', 1),
      // They judge memory, and what a server's thread computes while a request waits: as many as there are cores, in one group.
      ...['storage-scale', 'fuzz'].map((name) => suite(name, 2, { maxWorkers: 2 })),
      // They compare times, or shares of work, with and without a fault.
      ...['faults', 'scale-out'].map((name) => suite(name, 3, { maxWorkers: 3 })),
      suite('conformance', 4, CONFORMANCE),
      ...['attack', 'clients', 'cluster', 'deploy', 'runtimes', 'scheduler', 'sight'].map((name) =>
        suite(name, 4, { maxWorkers: AT_ONCE }),
      ),
      // What takes over an hour is measured by itself: `make alert-times-long`.
      ...(process.env.SIGHT_PACE === 'shipped' ? [suite('sight-long', 4, LONG)] : []),
    ],
  },
});

/**
 * The tests of one folder. Groups run one after another: those first that measure what a server takes, or how long it does, with the
 * machine to themselves; then all others side by side, the longest files first.
 */
function suite(name: string, groupOrder: number, more: ProjectConfig = {}): TestProjectInlineConfiguration {
  const include = [`${name}/**/*.test.ts`];
  return { extends: true, test: { name, include, maxWorkers: 1, sequence: { groupOrder }, ...more } };
}
