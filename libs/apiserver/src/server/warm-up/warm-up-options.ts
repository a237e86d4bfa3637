/** Options of a process that can warm up. @param defaultMs milliseconds where the command line says nothing */
export const warmUpOptions = (defaultMs: number) =>
  ({
    'warm-up': {
      type: 'duration',
      default: defaultMs,
      min: 0,
      help: 'Longest time that the process runs the code of frequent requests before it is ready, so that its first requests are about as fast as later ones. 0 disables this.',
    },
  }) as const;
