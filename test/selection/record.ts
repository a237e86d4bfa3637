import { fileURLToPath } from 'node:url';
import { recordFullRun } from './last-full-run.js';

// Called by `make test-full` once everything has passed, with the commit at which it began.
recordFullRun(fileURLToPath(new URL('../..', import.meta.url)), Date.now(), process.argv[2] ?? '');
