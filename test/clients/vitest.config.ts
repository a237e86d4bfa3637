import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Every client, those too whose installation takes minutes (`*.slow.ts`). Run with `make test-clients`. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['clients/**/*.test.ts', 'clients/**/*.slow.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 1,
  },
});
