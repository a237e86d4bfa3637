import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Tests against real servers, as built into `dist`. Run with `npx vitest run --config test/vitest.config.ts`. */
export default defineConfig({
  root: here('.'),
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['conformance/**/*.test.ts'],
          globalSetup: [here('conformance/global-setup.ts')],
          maxWorkers: 2,
        },
      },
      { extends: true, test: { name: 'clients', include: ['clients/**/*.test.ts'], fileParallelism: false } },
      { extends: true, test: { name: 'faults', include: ['faults/**/*.test.ts'], fileParallelism: false } },
      { extends: true, test: { name: 'fuzz', include: ['fuzz/**/*.test.ts'], fileParallelism: false } },
      { extends: true, test: { name: 'cluster', include: ['cluster/**/*.test.ts'], fileParallelism: false } },
      { extends: true, test: { name: 'load', include: ['load/**/*.test.ts'] } },
    ],
  },
});
