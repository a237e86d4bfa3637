import type { Names } from '@orch/machinery';
import type { Clock, Logger, Metrics } from '@orch/runtime';
import { renewalMetrics } from './metrics.js';
import type { PairSource } from './pair.js';
import { PairStore } from './pair-store.js';
import { RenewedCertificate } from './renewed-certificate.js';
import type { RequestClient } from './request-certificate.js';
import { selfSignedFiles } from './self-signed-files.js';
import { followedFiles } from './serving-files.js';
import { type NodeAddress, wantedByServer } from './wanted.js';

/** Name of the files of a serving certificate that the API has issued. */
const SERVING_FILES = 'node-agent-serving';

/** Options that say where the certificate of the agent's port comes from. */
export interface ServingCertificateOptions {
  /** `--address`. */
  readonly address: string;
  /** `--cert-dir`. */
  readonly certDir: string;
  /** `--tls-cert-file`. */
  readonly tlsCertFile?: string | undefined;
  /** `--tls-private-key-file`. */
  readonly tlsPrivateKeyFile?: string | undefined;
  /** `--rotate-server-certificates`. */
  readonly rotateServerCertificates?: boolean | undefined;
}

/** Dependencies of {@link servingCertificate}. */
interface ServingCertificateSettings {
  /** Options of the agent. */
  readonly options: ServingCertificateOptions;
  /** Name of the node. */
  readonly node: string;
  /** Returns the addresses of the Node as they are now. */
  readonly addresses: () => readonly NodeAddress[];
  /** Calls the API; absent without a `--kubeconfig`. */
  readonly client?: RequestClient;
  /** Names of the installation. */
  readonly names: Names;
  /** Tells the time. */
  readonly clock: Clock;
  /** Gets to know what is requested, renewed, and fails. */
  readonly logger: Logger;
  /** Metrics of the process. */
  readonly metrics?: Metrics;
  /** Draws numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Opens the certificate of an agent's port: that in the files of the options; or, by `--rotate-server-certificates`, one
 * that is requested from the API for the addresses of the Node; else a self-signed one. @throws Error for options that do
 * not belong together, and files that cannot be used
 */
export async function servingCertificate(settings: ServingCertificateSettings): Promise<PairSource> {
  const { options, node, clock, logger } = settings;
  const { tlsCertFile: certFile, tlsPrivateKeyFile: keyFile, certDir, address } = options;
  if (certFile !== undefined && keyFile !== undefined) return followedFiles({ certFile, keyFile, clock, logger });
  if (certFile !== undefined || keyFile !== undefined)
    throw new Error('--tls-cert-file and --tls-private-key-file belong together');
  if (!options.rotateServerCertificates) return selfSignedFiles({ certDir, address, node, clock, logger });
  return requestedCertificate(settings);
}

async function requestedCertificate(settings: ServingCertificateSettings): Promise<PairSource> {
  const { options, node, addresses, client, names, clock, logger, metrics, random } = settings;
  if (!client) throw new Error('--rotate-server-certificates needs --kubeconfig');
  const certificate: RenewedCertificate = new RenewedCertificate({
    ...{ store: new PairStore(options.certDir, SERVING_FILES), names, clock, logger, client: () => client },
    wanted: () => wantedByServer(node, addresses()),
    ...(metrics && {
      metrics: renewalMetrics(
        metrics,
        'server',
        () => certificate.pair(),
        () => clock.wall(),
      ),
    }),
    ...(random && { random }),
  });
  await certificate.start();
  return certificate;
}
