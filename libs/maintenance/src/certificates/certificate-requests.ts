import type { Authorizer } from '@orch/authorization';
import type { ControllerGroup } from '@orch/controllers';
import type { ReloadableCredentials } from '@orch/credentials';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { type InformerStore, StoreInformer } from '@orch/informers';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Logger, Metrics } from '@orch/runtime';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import { requestDurations } from '@orch/serving';
import type { Row } from '@orch/storage';
import { type ControllerClient, ignoreMissing } from '@orch/writing';
import { NodeApprover } from './node-approver.js';
import { requestControllers } from './request-controllers.js';
import { RequestSigner } from './request-signer.js';
import { type RequestSummary, summaryOf } from './request-summary.js';

type Work = 'csrapproving' | 'csrsigning' | 'csrcleaner';

interface CertificateRequestsSettings {
  readonly deps: ApiDeps;
  readonly store: InformerStore;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly credentials: Pick<ReloadableCredentials, 'current' | 'onTaken'>;
  /** Authorizes client certificates of nodes. */
  readonly authorizer: Authorizer;
  /** Client with the identity of the controllers. */
  readonly client: Pick<ControllerClient, 'update' | 'delete'>;
  /** Returns whether this process currently runs the controllers. */
  readonly leads: () => boolean;
  /** Longest lifetime of a certificate, milliseconds. */
  readonly longest: number;
  /** Whether a controller runs in this process, not elsewhere. Default: all do. */
  readonly runs?: (name: Work) => boolean;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Returns the controllers that approve, sign and remove certificate requests; undefined if these are not served, or no
 * controller is to run here.
 */
export function certificateRequests(settings: CertificateRequestsSettings): ControllerGroup | undefined {
  const { deps, store, feed, credentials, logger, runs = () => true, client } = settings;
  const { names, reader, now } = deps;
  const endpoint = endpointOf(deps);
  if (!endpoint || !WORK.some(runs)) return undefined;
  const onError = (error: unknown) => logger.error('certificate requests', error);
  const read = readerOf(settings, endpoint);
  const requests = new StoreInformer({ source: store, feed, type: endpoint.type, onError, read });
  const signers = () => credentials.current.signing.signers;
  if (runs('csrsigning') && signers().size === 0)
    logger.info('this server does not sign certificate requests, because --cluster-signing-cert-file is not given');
  const own = { client, endpoint, names };
  const controllers = requestControllers({
    requests,
    ...(runs('csrapproving') && {
      approver: new NodeApprover({ ...own, reader, authorizer: settings.authorizer }),
    }),
    ...(runs('csrsigning') && { signer: new RequestSigner({ ...own, signers, longest: settings.longest, now }) }),
    onSigners: (listener) => credentials.onTaken(listener),
    ...(runs('csrcleaner') && { remove: (summary: RequestSummary) => remove(client, endpoint, summary) }),
    now,
  });
  return {
    controllers,
    // Requests are processed in the background.
    start: () => void requests.start(),
    stop: () => requests.stop(),
  };
}

const WORK: readonly Work[] = ['csrapproving', 'csrsigning', 'csrcleaner'];

/** Returns the endpoint of certificate requests in the storage version. */
function endpointOf({ names, served }: ApiDeps): Endpoint | undefined {
  const group = names.group('certificates.orch.io');
  return served.current.types.find(
    ({ definition }) => definition.group === group && definition.resource === 'certificatesigningrequests',
  );
}

/** Returns how rows are read; the leading process counts certificates that were issued. */
function readerOf({ deps, metrics, leads }: CertificateRequestsSettings, endpoint: Endpoint) {
  const count = requestDurations(metrics, deps.names);
  return (row: Row, before: RequestSummary | undefined): RequestSummary => {
    const summary = summaryOf(fromStored(row, endpoint) as CertificateSigningRequest, row.uid, row.version);
    const { state, seconds, signerName, lifetime } = summary;
    const isNew = before !== undefined && before.uid === row.uid && before.state !== 'issued' && state === 'issued';
    if (isNew && leads() && seconds !== undefined) count({ signerName, seconds, lifetime });
    return summary;
  };
}

/** Removes a request at its known version; a request that has changed since may no longer be due for removal. */
async function remove(
  client: Pick<ControllerClient, 'delete'>,
  endpoint: Endpoint,
  summary: RequestSummary,
): Promise<void> {
  const { name, uid, resourceVersion } = summary;
  const options = { dryRun: false, uid, resourceVersion };
  await client.delete(endpoint, { namespace: '', name }, options).catch(ignoreMissing(endpoint, name));
}
