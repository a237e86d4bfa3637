/** Options of the storage migration of custom resources. */
export const customResourceOptions = {
  'storage-migration-rate': {
    type: 'int',
    default: 100,
    min: 1,
    help: 'Maximum number of custom resources per second that are rewritten after the storage version of their definition has changed.',
  },
} as const;
