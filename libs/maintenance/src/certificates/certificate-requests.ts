import type { Authorizer } from '@orch/authorization';
import type { Credentials, SigningSet } from '@orch/credentials';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { type FollowedRow, ObjectFollower, type ObjectSource } from '@orch/informers';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Logger, Metrics } from '@orch/runtime';
import { LEADERSHIP_MS, Leadership } from '@orch/runtime/work';
import type { CertificateSigningRequest } from '@orch/schema/types/certificates/v1';
import { requestDurations } from '@orch/serving';
import type { ServingStore } from '@orch/storage';
import { ignoreMissing, serverItself } from '@orch/writing';
import { NodeApprover } from './node-approver.js';
import { RequestController } from './request-controller.js';
import { outlineOf, type RequestOutline } from './request-outline.js';
import { RequestSigner } from './request-signer.js';

type Work = 'csrapproving' | 'csrsigning' | 'csrcleaner';

interface CertificateRequestsSettings {
  readonly deps: ApiDeps;
  readonly store: ObjectSource & Pick<ServingStore, 'lease'>;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly credentials: Pick<Credentials, 'current' | 'onTaken'>;
  /** Decides who may have the certificate of a node. */
  readonly authorizer: Authorizer;
  /** How long certificates are good for at most, milliseconds. */
  readonly longest: number;
  /** What is done here; what is not, somebody else does. Default: all. */
  readonly runs?: (name: Work) => boolean;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Has certificate requests approved, signed and cleaned away, where they are served at all. */
export class CertificateRequests {
  readonly #parts: Parts | undefined;

  constructor(settings: CertificateRequestsSettings) {
    this.#parts = partsOf(settings);
  }

  /** Resolves at once: requests are worked on in the background. */
  start(): void {
    if (!this.#parts) return;
    void this.#parts.follower.start();
    this.#parts.controller.start();
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    await this.#parts?.controller.stop();
    this.#parts?.follower.stop();
  }
}

const WORK: readonly Work[] = ['csrapproving', 'csrsigning', 'csrcleaner'];
const NOBODY: SigningSet['signers'] = new Map();
const NO_APPROVER = { isDue: () => false, approve: async () => false };

interface Parts {
  readonly follower: ObjectFollower<RequestOutline>;
  readonly controller: RequestController;
}

function partsOf(settings: CertificateRequestsSettings): Parts | undefined {
  const { deps, store, feed, credentials, logger, runs = () => true } = settings;
  const { names, pipeline, reader, now } = deps;
  const endpoint = endpointOf(deps);
  if (!endpoint || !WORK.some(runs)) return undefined;
  const onError = (error: unknown) => logger.error('certificate requests', error);
  const leadership = new Leadership(store.lease('certificate-requests', LEADERSHIP_MS));
  const read = readerOf(settings, endpoint, leadership);
  const follower = new ObjectFollower({ source: store, feed, type: endpoint.type, onError, read });
  const signers = () => (runs('csrsigning') ? credentials.current.signing.signers : NOBODY);
  const own = { pipeline, endpoint, names };
  const controller = new RequestController({
    leadership,
    follower,
    approver: runs('csrapproving')
      ? new NodeApprover({ ...own, reader, authorizer: settings.authorizer })
      : NO_APPROVER,
    signer: new RequestSigner({ ...own, signers, longest: settings.longest, now }),
    cleans: runs('csrcleaner'),
    remove: (outline) => remove(deps, endpoint, outline),
    now,
    onError,
  });
  credentials.onTaken(() => controller.lookAgain());
  if (runs('csrsigning') && signers().size === 0)
    logger.info('certificate requests are not signed here: --cluster-signing-cert-file is not given');
  return { follower, controller };
}

/** In the version that is stored. */
function endpointOf({ names, served }: ApiDeps): Endpoint | undefined {
  const group = names.group('certificates.orch.io');
  return served.current.types.find(
    ({ definition }) => definition.group === group && definition.resource === 'certificatesigningrequests',
  );
}

/** Whoever leads counts what was issued. */
function readerOf({ deps, metrics }: CertificateRequestsSettings, endpoint: Endpoint, leadership: Leadership) {
  const count = requestDurations(metrics, deps.names);
  return (row: FollowedRow, before: RequestOutline | undefined): RequestOutline => {
    const outline = outlineOf(fromStored(row, endpoint) as CertificateSigningRequest, row.uid, row.version);
    const { state, seconds, signerName, lifetime } = outline;
    const isNew = before !== undefined && before.uid === row.uid && before.state !== 'issued' && state === 'issued';
    if (isNew && leadership.leads && seconds !== undefined) count({ signerName, seconds, lifetime });
    return outline;
  };
}

/** One that has changed since is not of the kind that is removed any more. */
async function remove({ remover }: ApiDeps, endpoint: Endpoint, outline: RequestOutline): Promise<void> {
  const { name, uid, resourceVersion } = outline;
  const options = { dryRun: false, uid, resourceVersion };
  await remover.remove(endpoint, { namespace: '', name }, options, serverItself()).catch(ignoreMissing);
}
