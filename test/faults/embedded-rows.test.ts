import { tryRows } from './rows.js';

// The database of a server that has its own.
tryRows(['embedded-killed', 'embedded-slow', 'embedded-full']);
