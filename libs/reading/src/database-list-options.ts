/** Options of lists: where they are read from, and how many read from the database at a time. */
export const databaseListOptions = {
  'list-load-bytes': {
    type: 'bytes',
    default: 2 ** 27,
    min: 0,
    help: 'Largest type that a list takes into memory; larger ones are read from PostgreSQL each time, unless watched.',
  },
  'database-lists': {
    type: 'int',
    default: 6,
    min: 1,
    help: 'Lists that read from PostgreSQL at a time; the others wait. Each takes a connection and a few MiB. One whose client does not read gives its place back.',
  },
  'database-lists-per-user': {
    type: 'int',
    default: 3,
    min: 1,
    help: 'The same of the lists of one user.',
  },
  'list-window-bytes': {
    type: 'bytes',
    default: 64 << 20,
    min: 4 << 20,
    help: 'Memory for what lists have read from PostgreSQL ahead of clients that do not read, 4 MiB a list; beyond it they read page by page.',
  },
  'list-window-bytes-per-user': {
    type: 'bytes',
    default: 16 << 20,
    min: 4 << 20,
    help: 'The same of the lists of one user.',
  },
  'list-cache-bytes': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'Memory for the encoded and compressed bytes of lists that are asked for again; 0 keeps none.',
  },
} as const;
