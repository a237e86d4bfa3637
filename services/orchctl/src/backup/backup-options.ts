/** Options that `orchctl backup` and `orchctl restore` share. */
export const backupOptions = {
  'data-dir': { type: 'string', default: '.orch', help: 'Data folder of orch standalone, as in its --data-dir.' },
} as const;

/** The folder of the embedded PostgreSQL in that of `orch standalone`. */
export const databaseIn = (dataDir: string): string => `${dataDir}/postgres`;
