import { embeddedPostgresObserver, type StoreHost } from '@orch/apiserver';
import { SupervisedPostgres } from '@orch/storage/embedded';

/** The PostgreSQL of a standalone process. */
interface Database {
  /** Resolves with the URL to connect to. */
  start(host: StoreHost): Promise<string>;
  stop(): Promise<void>;
}

interface DatabaseSettings {
  /** URL of an external PostgreSQL. Default: an embedded one is started. */
  readonly url: string | undefined;
  /** Folder of the embedded one. */
  readonly dataDir: string;
  /** Milliseconds for which the embedded one may be away before the process ends with an error. */
  readonly restartTimeout: number;
}

/**
 * Returns the database that the options select. An embedded one that cannot be kept running ends the process with an
 * error.
 */
export function databaseOf({ url, dataDir, restartTimeout }: DatabaseSettings): Database {
  if (url !== undefined) return { start: async () => url, stop: async () => {} };
  let starting: Promise<SupervisedPostgres> | undefined;
  return {
    async start({ metrics, logger, fail, stopping }) {
      const observer = embeddedPostgresObserver(metrics, logger);
      starting = SupervisedPostgres.start({ dataDir, restartTimeout, observer }, stopping);
      const postgres = await starting;
      void postgres.givenUp.then(fail);
      return postgres.url;
    },
    // Stops also a server whose start was aborted and is not awaited any more.
    stop: async () => (await starting?.catch(() => undefined))?.stop(),
  };
}
