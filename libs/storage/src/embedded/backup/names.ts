/** Name of the folder with the database files, in the folder of a cluster and in a backup of it. */
export const DATA = 'data';
export const PASSWORD = 'password';
/** The list of files, in {@link DATA}. */
export const MANIFEST = 'backup_manifest';
/** Folder of the write-ahead log, in {@link DATA}, which the list leaves out. */
export const LOG = 'pg_wal';
