import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Run by `make test-on-cluster`, in namespaces of its own. Its steps follow each other: what fails there may be a consequence. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: { include: ['on-cluster/**/*.slow.ts'], maxWorkers: 1, disableConsoleIntercept: true },
});
