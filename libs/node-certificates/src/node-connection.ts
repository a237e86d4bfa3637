import { stat } from 'node:fs/promises';
import { Client, type Connection, CredentialsError, readKubeconfig, writeKubeconfig } from '@orch/client';
import type { Names } from '@orch/machinery';
import { type Clock, type Logger, type Metrics, sleep } from '@orch/runtime';
import { Backoff } from '@orch/runtime/work';
import { renewalMetrics } from './metrics.js';
import { checkPair, validityOf } from './pair.js';
import { PairStore } from './pair-store.js';
import { RenewedCertificate } from './renewed-certificate.js';
import { wantedByClient } from './wanted.js';
import { readIfPresent } from './whole-file.js';

/** Name of the files of the client certificate. */
const CLIENT_FILES = 'node-agent-client';
/** Name by which the API knows what agents send. */
const USER_AGENT = 'kubelet';
const RETRY = { firstMs: 2_000, longestMs: 32_000 };

/** Options that say how an agent comes to its connection. */
interface NodeConnectionOptions {
  /** `--kubeconfig`. */
  readonly kubeconfig: string;
  /** `--bootstrap-kubeconfig`. */
  readonly bootstrapKubeconfig?: string | undefined;
  /** `--cert-dir`. */
  readonly certDir: string;
  /** `--rotate-certificates`. */
  readonly rotateCertificates?: boolean | undefined;
}

/** Dependencies of {@link nodeConnection}. */
interface NodeConnectionSettings {
  /** Options of the agent. */
  readonly options: NodeConnectionOptions;
  /** Name of the node. */
  readonly node: string;
  /** Names of the installation. */
  readonly names: Names;
  /** Tells the time. */
  readonly clock: Clock;
  /** Gets to know what is requested, renewed, and fails. */
  readonly logger: Logger;
  /** Metrics of the process. */
  readonly metrics?: Metrics;
  /** Ends the wait for a first certificate. */
  readonly signal?: AbortSignal;
  /** Draws numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** The connection of an agent, and what renews its certificate. */
export interface NodeConnection {
  /** Names the file of the certificate, which clients follow: nothing else changes when that is renewed. */
  readonly connection: Connection;
  /** Ends the renewal. */
  stop(): Promise<void>;
}

/**
 * Returns the connection of an agent. With `--bootstrap-kubeconfig`, and no usable file of `--kubeconfig`, it requests a
 * client certificate first, waits for it however long that takes, and writes that file. With `--rotate-certificates`, the
 * certificate is renewed. Undefined when `signal` aborts. @throws Error where neither file can be used
 */
export async function nodeConnection(settings: NodeConnectionSettings): Promise<NodeConnection | undefined> {
  const { options, names, logger, clock } = settings;
  const { kubeconfig, bootstrapKubeconfig, rotateCertificates } = options;
  const isJoined = bootstrapKubeconfig === undefined || (await isUsable(kubeconfig, names, clock, logger));
  const bootstrap = await bootstrapOf(settings, isJoined);
  const client = new RenewedClient(settings, bootstrap);
  if (!isJoined && bootstrap && !(await client.join(bootstrap))) {
    await client.stop();
    return undefined;
  }
  const connection = await readKubeconfig(kubeconfig, { names });
  if (!rotateCertificates) {
    await client.stop();
    return { connection, stop: () => Promise.resolve() };
  }
  return { connection: await client.follow(connection), stop: () => client.stop() };
}

/** Reads the connection for joining. It may be of no use any more once that is done. */
async function bootstrapOf(
  { options, names, logger }: NodeConnectionSettings,
  isJoined: boolean,
): Promise<Connection | undefined> {
  const { bootstrapKubeconfig: file } = options;
  if (file === undefined) return undefined;
  try {
    return await readKubeconfig(file, { names });
  } catch (error) {
    if (!isJoined) throw error;
    logger.info('--bootstrap-kubeconfig is not used', { err: (error as Error).message });
    return undefined;
  }
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Whether a kubeconfig is there, can be read, and has no certificate that has expired. */
async function isUsable(file: string, names: Names, clock: Clock, logger: Logger): Promise<boolean> {
  if (!(await isThere(file))) return false;
  try {
    const pair = await pairOfConnection(await readKubeconfig(file, { names }));
    if (!pair || validityOf(pair).to > clock.wall()) return true;
    logger.warn('the certificate of --kubeconfig has expired: another one is requested', { file });
  } catch (error) {
    logger.warn('--kubeconfig cannot be used: another certificate is requested', { err: (error as Error).message });
  }
  return false;
}

/** The client certificate of a connection, inline or in files. @throws Error where it cannot be read */
async function pairOfConnection({ cert, key, certFile, keyFile }: Connection) {
  const [certText, keyText] = [
    cert ?? (certFile && (await readIfPresent(certFile))),
    key ?? (keyFile && (await readIfPresent(keyFile))),
  ];
  if (certFile !== undefined && !(certText && keyText)) throw new CredentialsError(`${certFile} is not there`);
  if (!certText || !keyText) return undefined;
  const pair = { cert: certText, key: keyText };
  checkPair(pair);
  return pair;
}

/** The client certificate of an agent. */
class RenewedClient {
  readonly #store: PairStore;
  readonly #certificate: RenewedCertificate;
  readonly #clients: { joining?: Client; own?: Client } = {};

  constructor(
    private readonly settings: NodeConnectionSettings,
    bootstrap: Connection | undefined,
  ) {
    const { options, node, names, clock, logger, metrics, random } = settings;
    this.#store = new PairStore(options.certDir, CLIENT_FILES);
    if (bootstrap) this.#clients.joining = this.#clientOf(bootstrap);
    const current = () => this.#certificate.pair();
    this.#certificate = new RenewedCertificate({
      ...{ store: this.#store, names, clock, logger, client: () => this.#client() },
      wanted: () => wantedByClient(node),
      ...(metrics && { metrics: renewalMetrics(metrics, 'client', current, () => clock.wall()) }),
      ...(random && { random }),
    });
  }

  /** Requests a certificate and writes the kubeconfig; false when it ended before that. */
  async join(bootstrap: Connection): Promise<boolean> {
    const { options, signal, logger, clock } = this.settings;
    const stop = () => void this.#certificate.stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      if (signal?.aborted || !(await this.#certificate.first())) return false;
      const { server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl, disableCompression, namespace } = bootstrap;
      const place = { server, ca, tlsServerName, insecureSkipTlsVerify, proxyUrl, disableCompression, namespace };
      const files = { certFile: this.#store.currentFile, keyFile: this.#store.currentFile };
      const backoff = new Backoff(RETRY);
      while (!signal?.aborted) {
        try {
          await writeKubeconfig(options.kubeconfig, { ...defined(place), server, ...files });
          return true;
        } catch (error) {
          logger.warn('--kubeconfig cannot be written yet', { err: (error as Error).message });
          await sleep(clock, backoff.next(), signal);
        }
      }
      return false;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Renews the certificate of a connection from now on. Returns the connection that follows it. */
  async follow(connection: Connection): Promise<Connection> {
    const { logger, clock } = this.settings;
    const pair = await pairOfConnection(connection);
    if (!pair) {
      logger.warn('--rotate-certificates has no effect: the user of --kubeconfig has no client certificate');
      return connection;
    }
    const { cert: _cert, key: _key, ...rest } = connection;
    const file = this.#store.currentFile;
    const kept = await this.#store.current().catch(() => undefined);
    if (connection.certFile !== file && (!kept || validityOf(kept).to <= clock.wall()))
      await this.#store.keep(pair, clock.wall());
    const followed = { ...rest, certFile: file, keyFile: file };
    this.#clients.own = this.#clientOf(followed);
    await this.#certificate.start();
    return followed;
  }

  async stop(): Promise<void> {
    await this.#certificate.stop();
    await Promise.all(Object.values(this.#clients).map((client) => client.close()));
  }

  /** Returns the client with the agent's own certificate as long as that is valid. */
  #client(): Client {
    const { joining, own } = this.#clients;
    const pair = this.#certificate.pair();
    const isValid = pair !== undefined && validityOf(pair).to > this.settings.clock.wall();
    const client = isValid ? (own ?? joining) : (joining ?? own);
    if (!client) throw new CredentialsError('there are no credentials to request a certificate with');
    return client;
  }

  #clientOf(connection: Connection): Client {
    return new Client(connection, { names: this.settings.names, userAgent: USER_AGENT });
  }
}

/** Without members that are not set. */
const defined = <T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
