/** Options of lists: where they are read from, and how many read from the database at a time. */
export const databaseListOptions = {
  'list-load-bytes': {
    type: 'bytes',
    default: 2 ** 27,
    min: 0,
    help: 'Size up to which a type is loaded into memory to answer a list. Larger types are read from PostgreSQL each time, unless they are watched.',
  },
  'database-lists': {
    type: 'int',
    default: 6,
    min: 1,
    help: 'Maximum number of lists that read from PostgreSQL at a time; others wait. Each uses a connection and a few MiB. A list whose client stops reading gives up its place.',
  },
  'database-lists-per-user': {
    type: 'int',
    default: 3,
    min: 1,
    help: 'Maximum number of lists of one user that read from PostgreSQL at a time.',
  },
  'list-window-bytes': {
    type: 'bytes',
    default: 64 << 20,
    min: 4 << 20,
    help: 'Memory for rows that lists have read from PostgreSQL ahead of slow clients, 4 MiB for each list. Beyond it, lists read page by page.',
  },
  'list-window-bytes-per-user': {
    type: 'bytes',
    default: 16 << 20,
    min: 4 << 20,
    help: 'Memory for rows that lists of one user have read from PostgreSQL ahead of slow clients.',
  },
  'list-cache-bytes': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'Memory for encoded and compressed lists that are requested repeatedly. 0 disables the cache.',
  },
} as const;
