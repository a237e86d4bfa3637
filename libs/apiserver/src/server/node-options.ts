/** Options that command lines of API servers have and that have no effect here. */
export const nodeOptions = {
  profiling: {
    type: 'bool',
    default: true,
    help: 'Taken from command lines, without an effect: no profiles are served either way.',
  },
} as const;
