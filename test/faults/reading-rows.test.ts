import { tryRows } from './rows.js';

// What is read from the database.
tryRows(['busy-pages', 'compaction', 'large-history', 'bad-keys', 'unread-lists', 'watch-from']);
