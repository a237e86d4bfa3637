import { type Controller, type ControllerSource, informerSource, RequeueError } from '@orch/controllers';
import type { SharedInformer } from '@orch/runtime/informers';
import { requeueOvertaken, untilDue } from '../reconciliation.js';
import type { NodeApprover } from './node-approver.js';
import type { RequestOutline } from './request-outline.js';
import type { RequestSigner } from './request-signer.js';

/**
 * Dependencies of the controllers of certificate requests. Without an optional one there is no controller that needs
 * it.
 */
interface RequestControllersOptions {
  readonly requests: SharedInformer<RequestOutline>;
  readonly approver?: Pick<NodeApprover, 'isDue' | 'approve'>;
  readonly signer?: Pick<RequestSigner, 'isDue' | 'sign'>;
  /** Calls the listener when other requests can be signed than before, until the returned function is called. */
  onSigners(listener: () => void): () => void;
  /**
   * Deletes a request if it is as it is known; undefined where nothing is cleaned away.
   * @throws StatusError, StoreUnavailableError
   */
  readonly remove?: (outline: RequestOutline) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Requests that each controller works on at a time. */
const WORKERS = 8;
const RETRY = { firstMs: 1_000, longestMs: 1_000_000 };

/**
 * Controllers that approve, sign and clean away certificate requests, under the names that kube-controller-manager
 * gives them.
 */
export function requestControllers(options: RequestControllersOptions): readonly Controller[] {
  const { requests, approver, signer, remove } = options;
  const source = informerSource(requests);
  const found = (work: (outline: RequestOutline) => Promise<number | undefined>) => async (name: string) => {
    const outline = requests.get(name);
    return outline && work(outline).catch(requeueOvertaken);
  };
  const controllerOf = (name: string, sources: readonly ControllerSource[], work: Parameters<typeof found>[0]) => ({
    ...{ name, sources, workers: WORKERS, retry: RETRY },
    reconcile: found(work),
  });
  return [
    ...(approver ? [controllerOf('csrapproving', [source], (outline) => approve(approver, outline))] : []),
    ...(signer ? [controllerOf('csrsigning', [source, signers(options)], (outline) => sign(signer, outline))] : []),
    ...(remove ? [controllerOf('csrcleaner', [source], (outline) => clean(remove, outline, options.now()))] : []),
  ];
}

/** Wakes the signer with all requests. Its keys are those of the requests. */
const signers = ({ requests, onSigners }: RequestControllersOptions): ControllerSource => ({
  subscribe: (enqueue) =>
    onSigners(() => {
      for (const name of requests.keys()) enqueue(name);
    }),
  keys: () => [],
});

async function approve(approver: Pick<NodeApprover, 'isDue' | 'approve'>, outline: RequestOutline): Promise<undefined> {
  // The right may be given later.
  if (approver.isDue(outline) && !(await approver.approve(outline))) throw new RequeueError('not approved yet');
}

async function sign(signer: Pick<RequestSigner, 'isDue' | 'sign'>, outline: RequestOutline): Promise<undefined> {
  if (signer.isDue(outline)) await signer.sign(outline);
}

async function clean(
  remove: (outline: RequestOutline) => Promise<void>,
  outline: RequestOutline,
  now: number,
): Promise<number | undefined> {
  const { removeAt } = outline;
  if (removeAt >= now) return untilDue(removeAt, now);
  await remove(outline);
  return undefined;
}
