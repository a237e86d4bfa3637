import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

type ProjectConfig = NonNullable<TestProjectInlineConfiguration['test']>;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Tests against real servers, as built into `dist`. Run with `npx vitest run --config test/vitest.config.ts`. */
export default defineConfig({
  root: here('.'),
  test: {
    // What is waited for comes at once, but on a machine that has much else to do.
    setupFiles: [here('../tools/fail-on-listener-leaks.mjs')],
    reporters: process.env.CI ? ['default', here('fail-on-skips.ts')] : ['default'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      suite('load', 1),
      suite('conformance', 2, { maxWorkers: 2, globalSetup: [here('conformance/global-setup.ts')] }),
      ...together(3, 3, ['clients', 'cluster', 'deploy']),
      suite('storage-scale', 4, { maxWorkers: 2 }),
      suite('faults', 5, { maxWorkers: 2 }),
      suite('scale-out', 6, { maxWorkers: 2 }),
      suite('sight', 7),
      suite('fuzz', 8, { maxWorkers: 2 }),
      suite('attack', 9),
    ],
  },
});

/**
 * The tests of one folder. Folders run one after another, and so do the files of those that put loads on their servers, or
 * look at the clock.
 */
function suite(name: string, groupOrder: number, more: ProjectConfig = {}): TestProjectInlineConfiguration {
  const include = [`${name}/**/*.test.ts`];
  return { extends: true, test: { name, include, maxWorkers: 1, sequence: { groupOrder }, ...more } };
}

/**
 * Folders side by side, so many files at once: most of their time they wait, for a lease to end, say, or for a server to start. Nothing
 * in them looks at the clock.
 */
function together(groupOrder: number, maxWorkers: number, names: readonly string[]): TestProjectInlineConfiguration[] {
  return names.map((name) => suite(name, groupOrder, { maxWorkers }));
}
