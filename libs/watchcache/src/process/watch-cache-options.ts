/** Options of the watch cache: what it keeps in memory, and what watches may take of it. */
export const watchCacheOptions = {
  'watch-cache-bytes': {
    type: 'bytes',
    default: 2 ** 30,
    min: 2 ** 20,
    help: 'Memory for the state and the recent changes of the types that are read through this process.',
  },
  'watch-cache-check-interval': {
    type: 'duration',
    default: 600_000,
    min: 0,
    help: 'How often each state in memory is compared with the database. 0 disables this.',
  },
  'watch-ring-bytes': {
    type: 'bytes',
    default: 32 << 20,
    min: 2 ** 20,
    help: 'Memory of each type for recent changes, from which watches resume without the database.',
  },
  'watch-frame-bytes': {
    type: 'bytes',
    default: 16 << 20,
    min: 0,
    help: 'Memory of each type for encoded events, which watches that are slightly behind share.',
  },
  'watch-gather': {
    type: 'duration',
    default: 10,
    min: 0,
    help: 'Maximum time for which events of watches with the same selection are gathered, so that they are sent together.',
  },
  'watch-history-bytes': {
    type: 'bytes',
    default: 16 << 20,
    min: 0,
    help: 'Memory of each type for older changes read from the database, while watches resume from there.',
  },
  'watch-cache-indexes': {
    type: 'int',
    default: 16,
    min: 0,
    help: 'Maximum number of label keys and fields of each type that are indexed for selectors at a time.',
  },
  'watch-selector-terms': {
    type: 'int',
    default: 50_000,
    min: 0,
    help: 'Maximum number of conditions and values in the selectors that each event of a type is matched against; each distinct selector counts 4 more. Watches that are found by a name, one field or one label do not count, but each full KiB of a selector counts 1. Further watches get 429. 0 means no limit.',
  },
  'watch-selector-terms-per-user': {
    type: 'int',
    default: 20_000,
    min: 0,
    help: 'Maximum number of such conditions and values (--watch-selector-terms) in the watches of one user on a type. 0 means no limit.',
  },
  'watch-initial-bytes': {
    type: 'bytes',
    default: 256 << 20,
    min: 0,
    help: 'Memory for the initial states that watches are reading: lists of objects, objects of more than 32 KiB that are being sent, and up to a quarter for encoded pieces, which can be made again. At the limit, further watches with an initial state get 429. 0 means no limit.',
  },
  'watch-initial-bytes-per-user': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'Memory for the initial states that watches of one user are reading, without encoded pieces. One watch may always read. 0 means no limit.',
  },
  'watch-stall-timeout': {
    type: 'duration',
    default: 45_000,
    min: 1000,
    help: 'How long a client may not read a watch that is sending its initial state, or history from PostgreSQL. The watch then ends with 410.',
  },
  'watch-bookmark-interval': {
    type: 'duration',
    default: 60_000,
    min: 1000,
    help: 'Approximate interval of the bookmarks of a watch that allows them.',
  },
} as const;
