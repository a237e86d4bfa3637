import { tryRows } from './rows.js';

// Clients that stop reading.
tryRows(['stalled-watchers', 'stalled-unbounded', 'stalled-initial', 'stalled-initial-unbounded']);
