/** Options of the storage migration of custom resources. */
export const customResourceOptions = {
  'storage-migration-rate': {
    type: 'int',
    default: 100,
    min: 1,
    help: 'Objects of custom kinds that are written anew in a second at most, after the version that they are stored in has changed.',
  },
} as const;
