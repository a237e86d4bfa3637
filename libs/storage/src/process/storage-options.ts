/** Options of the database that holds the state. */
export const storageOptions = {
  'postgres-url': {
    type: 'string',
    help: 'postgres://user:password@host:port,host:port/database?sslmode=…; several hosts for failover.',
  },
  'postgres-pooling': {
    type: 'string',
    choices: ['session', 'transaction'],
    default: 'session',
    help: 'transaction when the URL leads to a pooler that lends sessions for single transactions, as PgBouncer can.',
  },
  'postgres-read-url': {
    type: 'string',
    help: 'A read replica, for reads that ask for resourceVersion 0. One that is behind what was read before is passed over.',
  },
  'postgres-read-connections': {
    type: 'int',
    default: 3,
    min: 1,
    help: 'Connections for short reads. One more writes, one does maintenance, and lists and history have their own.',
  },
  'postgres-history-connections': {
    type: 'int',
    default: 2,
    min: 1,
    help: 'Connections for pages of history: what watches that resume have missed, and changes that were not announced.',
  },
  'history-page-bytes': {
    type: 'bytes',
    default: 2 ** 21,
    min: 2 ** 16,
    help: 'Bytes of bodies that are read of the history at a time, at most, unless one change alone has more.',
  },
  migrate: {
    type: 'bool',
    default: true,
    help: 'A schema of the database that is older than this release needs is migrated at start; else the server refuses to start on one.',
  },
  'write-queue-bytes': {
    type: 'bytes',
    default: 2 ** 27,
    min: 2 ** 20,
    help: 'Objects that may wait to be written to a database; more are refused with 503 and Retry-After.',
  },
  'history-retention': { type: 'duration', default: 300_000, min: 1000, help: 'How long changes can be read back.' },
  'event-ttl': {
    type: 'duration',
    default: 3_600_000,
    min: 0,
    help: 'How long events are kept after they were last written, of whichever group they were written as. 0 keeps them.',
  },
} as const;
