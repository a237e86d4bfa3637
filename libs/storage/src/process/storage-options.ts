/** Options of the database that holds the state. */
export const storageOptions = {
  'postgres-url': {
    type: 'string',
    help: 'URL of PostgreSQL: postgres://user:password@host:port,host:port/database?sslmode=…, with several hosts for failover.',
  },
  'postgres-pooling': {
    type: 'string',
    choices: ['session', 'transaction'],
    default: 'session',
    help: 'Set it to transaction if the URL leads to a pooler that assigns connections per transaction, as PgBouncer can.',
  },
  'postgres-read-url': {
    type: 'string',
    help: 'Read replica for reads with resourceVersion 0. A replica that is behind what was already read is not used.',
  },
  'postgres-read-connections': {
    type: 'int',
    default: 3,
    min: 1,
    help: 'Number of connections for short reads. Writes and maintenance use one more connection each, and lists and history have their own.',
  },
  'postgres-history-connections': {
    type: 'int',
    default: 2,
    min: 1,
    help: 'Number of connections that read pages of history: for watches that resume, and for changes that were not announced.',
  },
  'history-page-bytes': {
    type: 'bytes',
    default: 2 ** 21,
    min: 2 ** 16,
    help: 'Maximum size of the bodies that are read from history at a time, unless a single change is larger.',
  },
  migrate: {
    type: 'bool',
    default: true,
    help: 'Migrate an older database schema at start. If it is off, the server refuses to start on an older schema.',
  },
  'write-queue-bytes': {
    type: 'bytes',
    default: 2 ** 27,
    min: 2 ** 20,
    help: 'Memory for objects that wait to be written to a database. Further writes get 503 with Retry-After.',
  },
  'history-retention': {
    type: 'duration',
    default: 300_000,
    min: 1000,
    help: 'How long changes are kept, so that watches can resume from them.',
  },
  'event-ttl': {
    type: 'duration',
    default: 3_600_000,
    min: 0,
    help: 'How long events are kept after their last write, in either API group. 0 keeps them for ever.',
  },
} as const;
