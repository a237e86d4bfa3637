import { tryRows } from './rows.js';

// Who may do what, asked of others: an intruder, and webhooks.
tryRows(['trespass', 'webhooks']);
