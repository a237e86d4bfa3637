/** Options that `orchctl backup` and `orchctl restore` share. */
export const backupOptions = {
  'data-dir': { type: 'string', default: '.orch', help: 'Folder of orch standalone, as its --data-dir.' },
} as const;

/** The folder of the embedded PostgreSQL in that of `orch standalone`. */
export const databaseIn = (dataDir: string): string => `${dataDir}/postgres`;
