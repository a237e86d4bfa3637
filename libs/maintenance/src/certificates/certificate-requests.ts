import type { Authorizer } from '@orch/authorization';
import type { ControllerGroup } from '@orch/controllers';
import type { Credentials } from '@orch/credentials';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { type FollowedRow, ObjectFollower, type ObjectSource } from '@orch/informers';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Logger, Metrics } from '@orch/runtime';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import { requestDurations } from '@orch/serving';
import { type ControllerClient, ignoreMissing } from '@orch/writing';
import { NodeApprover } from './node-approver.js';
import { requestControllers } from './request-controllers.js';
import { outlineOf, type RequestOutline } from './request-outline.js';
import { RequestSigner } from './request-signer.js';

type Work = 'csrapproving' | 'csrsigning' | 'csrcleaner';

interface CertificateRequestsSettings {
  readonly deps: ApiDeps;
  readonly store: ObjectSource;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly credentials: Pick<Credentials, 'current' | 'onTaken'>;
  /** Decides who may have the certificate of a node. */
  readonly authorizer: Authorizer;
  /** Writes as the controllers. */
  readonly client: Pick<ControllerClient, 'update' | 'delete'>;
  /** Whether this process runs the controllers now. */
  readonly leads: () => boolean;
  /** How long certificates are good for at most, milliseconds. */
  readonly longest: number;
  /** What is done here; what is not, somebody else does. Default: all. */
  readonly runs?: (name: Work) => boolean;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Controllers that approve, sign and clean away certificate requests; undefined where these are not served, or none is to run here. */
export function certificateRequests(settings: CertificateRequestsSettings): ControllerGroup | undefined {
  const { deps, store, feed, credentials, logger, runs = () => true, client } = settings;
  const { names, reader, now } = deps;
  const endpoint = endpointOf(deps);
  if (!endpoint || !WORK.some(runs)) return undefined;
  const onError = (error: unknown) => logger.error('certificate requests', error);
  const read = readerOf(settings, endpoint);
  const requests = new ObjectFollower({ source: store, feed, type: endpoint.type, onError, read });
  const signers = () => credentials.current.signing.signers;
  if (runs('csrsigning') && signers().size === 0)
    logger.info('certificate requests are not signed here: --cluster-signing-cert-file is not given');
  const own = { client, endpoint, names };
  const controllers = requestControllers({
    requests,
    ...(runs('csrapproving') && {
      approver: new NodeApprover({ ...own, reader, authorizer: settings.authorizer }),
    }),
    ...(runs('csrsigning') && { signer: new RequestSigner({ ...own, signers, longest: settings.longest, now }) }),
    onSigners: (listener) => credentials.onTaken(listener),
    ...(runs('csrcleaner') && { remove: (outline: RequestOutline) => remove(client, endpoint, outline) }),
    now,
  });
  return {
    controllers,
    // Requests are worked on in the background.
    start: () => void requests.start(),
    stop: () => requests.stop(),
  };
}

const WORK: readonly Work[] = ['csrapproving', 'csrsigning', 'csrcleaner'];

/** In the version that is stored. */
function endpointOf({ names, served }: ApiDeps): Endpoint | undefined {
  const group = names.group('certificates.orch.io');
  return served.current.types.find(
    ({ definition }) => definition.group === group && definition.resource === 'certificatesigningrequests',
  );
}

/** Whoever leads counts what was issued. */
function readerOf({ deps, metrics, leads }: CertificateRequestsSettings, endpoint: Endpoint) {
  const count = requestDurations(metrics, deps.names);
  return (row: FollowedRow, before: RequestOutline | undefined): RequestOutline => {
    const outline = outlineOf(fromStored(row, endpoint) as CertificateSigningRequest, row.uid, row.version);
    const { state, seconds, signerName, lifetime } = outline;
    const isNew = before !== undefined && before.uid === row.uid && before.state !== 'issued' && state === 'issued';
    if (isNew && leads() && seconds !== undefined) count({ signerName, seconds, lifetime });
    return outline;
  };
}

/** One that has changed since is not of the kind that is removed any more. */
async function remove(
  client: Pick<ControllerClient, 'delete'>,
  endpoint: Endpoint,
  outline: RequestOutline,
): Promise<void> {
  const { name, uid, resourceVersion } = outline;
  const options = { dryRun: false, uid, resourceVersion };
  await client.delete(endpoint, { namespace: '', name }, options).catch(ignoreMissing);
}
