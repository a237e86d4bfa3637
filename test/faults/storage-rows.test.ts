import { tryRows } from './rows.js';

// The database, and what is read from it.
tryRows([
  'postgres-kills',
  'embedded-killed',
  'embedded-slow',
  'embedded-full',
  'head-row-held',
  'failover-asynchronous',
  'gateway-without-postgres',
  'restored-backup',
  'busy-pages',
  'compaction',
  'large-history',
  'bad-keys',
  'partition-refused',
  'long-migration',
  'unread-lists',
  'watch-from',
  'trespass',
  'webhooks',
  'budget-race',
]);
