import { tryRows } from './rows.js';

// The database, and what goes on when it fails.
tryRows([
  'postgres-kills',
  'head-row-held',
  'failover-asynchronous',
  'gateway-without-postgres',
  'restored-backup',
  'partition-refused',
  'long-migration',
]);
