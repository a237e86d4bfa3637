/** Blocks of docs/backup.md, each by a text that no other holds, and so by which test runs it. */
export const STANDALONE = ['orchctl backup', '-czf "$BACKUP/pki.tar.gz"', 'orchctl restore', 'SHOW server_version'];
export const POSTGRES = [
  'pg_dump',
  'pg_restore',
  '--take-over',
  'ALTER SYSTEM SET archive_mode',
  'pg_basebackup',
  'recovery.signal',
];
