import { claimFolder } from './claim-folder.js';
import type { EmbeddedOptions, EmbeddedPostgres } from './embedded-options.js';
import { startServer } from './launch.js';

export { type BackupProgress, type BackupSettings, backUpEmbedded } from './backup/back-up.js';
export { type RestoreSettings, restoreEmbedded } from './backup/restore.js';
export type { EmbeddedOptions, EmbeddedPostgres } from './embedded-options.js';
export { findEmbeddedPostgres } from './find-embedded.js';
export { SupervisedPostgres, type SupervisionObserver, type SupervisionOptions } from './supervised-postgres.js';

/**
 * Starts PostgreSQL on a directory, creating the cluster on first use. The postmaster is a process of its own, which is
 * asked to shut down when this process ends, also when it is killed; the next start stops one that it finds by its lock
 * file. As root, it runs as another user, who needs no access to the path of the directory or to the place where the
 * programs are installed.
 * @throws Error when another process uses the directory, or with the end of the server's log when it cannot be started
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const folder = await claimFolder(options);
  try {
    const server = await startServer(options, folder);
    void server.exited.then(folder.release);
    return { ...server, stop: () => server.stop().then(folder.release) };
  } catch (error) {
    folder.release();
    throw error;
  }
}
