import { fileURLToPath } from 'node:url';
import { recordFullRun } from './last-full-run.js';

// Called by `make test-full` once everything has passed.
recordFullRun(fileURLToPath(new URL('../..', import.meta.url)), Date.now());
