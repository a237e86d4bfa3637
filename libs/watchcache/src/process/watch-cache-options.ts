/** Options of the watch cache: what it keeps in memory, and what watches may take of it. */
export const watchCacheOptions = {
  'watch-cache-bytes': {
    type: 'bytes',
    default: 2 ** 30,
    min: 2 ** 20,
    help: 'Memory for state and recent changes of the types that are read here.',
  },
  'watch-cache-check-interval': {
    type: 'duration',
    default: 600_000,
    min: 0,
    help: 'How often each state in memory is compared with the database; 0 is never.',
  },
  'watch-ring-bytes': {
    type: 'bytes',
    default: 32 << 20,
    min: 2 ** 20,
    help: 'Memory of each type for what changes have replaced lately, which watches resume from without the database.',
  },
  'watch-frame-bytes': {
    type: 'bytes',
    default: 16 << 20,
    min: 0,
    help: 'Memory of each type for encoded events, for watches that are a little behind the others.',
  },
  'watch-gather': {
    type: 'duration',
    default: 10,
    min: 0,
    help: 'Longest time that events for many watches of the same are gathered, so that they go out together.',
  },
  'watch-history-bytes': {
    type: 'bytes',
    default: 16 << 20,
    min: 0,
    help: 'Memory of each type for changes that have left it, while watches resume from there.',
  },
  'watch-cache-indexes': {
    type: 'int',
    default: 16,
    min: 0,
    help: 'Label keys and fields of each type that selectors may have indexed at a time.',
  },
  'watch-selector-terms': {
    type: 'int',
    default: 50_000,
    min: 0,
    help: 'Conditions and values in the selectors that an event of a type has matched, each different one counting 4 more; further watches are answered with 429. What a name, one field or one label finds does not count, but each whole KiB of a selector counts 1. 0 is no bound.',
  },
  'watch-selector-terms-per-user': {
    type: 'int',
    default: 20_000,
    min: 0,
    help: 'The same in the watches of one user on a type.',
  },
  'watch-initial-bytes': {
    type: 'bytes',
    default: 256 << 20,
    min: 0,
    help: 'Memory for what watches are reading of their initial state: the list of its objects, objects of more than 32 KiB on their way to clients, and up to a quarter for encoded pieces, which are made again where they are gone. Further watches that want their initial state are answered with 429. 0 is no bound.',
  },
  'watch-initial-bytes-per-user': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'The same of the watches of one user, without the encoded pieces; one watch may always read.',
  },
  'watch-stall-timeout': {
    type: 'duration',
    default: 45_000,
    min: 1000,
    help: 'How long a client may read nothing of a watch that is still sending its initial state, or history from PostgreSQL; then the watch ends with 410.',
  },
  'watch-bookmark-interval': {
    type: 'duration',
    default: 60_000,
    min: 1000,
    help: 'About how often a watch that allows bookmarks gets one.',
  },
} as const;
