import { type Controller, type ControllerSource, informerSource, RequeueError } from '@orch/controllers';
import type { SharedInformer } from '@orch/runtime/informers';
import { requeueOvertaken, untilDue } from '../reconciliation.js';
import type { NodeApprover } from './node-approver.js';
import type { RequestSigner } from './request-signer.js';
import type { RequestSummary } from './request-summary.js';

/**
 * Dependencies of the controllers of certificate requests. Without an optional one there is no controller that needs
 * it.
 */
interface RequestControllersOptions {
  readonly requests: SharedInformer<RequestSummary>;
  readonly approver?: Pick<NodeApprover, 'isDue' | 'approve'>;
  readonly signer?: Pick<RequestSigner, 'isDue' | 'sign'>;
  /** Calls the listener when other requests can be signed than before, until the returned function is called. */
  onSigners(listener: () => void): () => void;
  /**
   * Deletes a request if it is as it is known; undefined where nothing is cleaned away.
   * @throws StatusError, StoreUnavailableError
   */
  readonly remove?: (summary: RequestSummary) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Requests that each controller works on at a time. */
const WORKERS = 8;
/** Waits of kube-controller-manager (k8s.io/kubernetes pkg/controller/certificates/certificate_controller.go). */
const RETRY = { firstMs: 200, longestMs: 1_000_000 };

/**
 * Controllers that approve, sign and clean away certificate requests, under the names that kube-controller-manager
 * gives them.
 */
export function requestControllers(options: RequestControllersOptions): readonly Controller[] {
  const { requests, approver, signer, remove } = options;
  const source = informerSource(requests);
  const found = (work: (summary: RequestSummary) => Promise<number | undefined>) => async (name: string) => {
    const summary = requests.get(name);
    return summary && work(summary).catch(requeueOvertaken);
  };
  const controllerOf = (name: string, sources: readonly ControllerSource[], work: Parameters<typeof found>[0]) => ({
    ...{ name, sources, workers: WORKERS, retry: RETRY },
    reconcile: found(work),
  });
  return [
    ...(approver ? [controllerOf('csrapproving', [source], (summary) => approve(approver, summary))] : []),
    ...(signer ? [controllerOf('csrsigning', [source, signers(options)], (summary) => sign(signer, summary))] : []),
    ...(remove ? [controllerOf('csrcleaner', [source], (summary) => clean(remove, summary, options.now()))] : []),
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

async function approve(approver: Pick<NodeApprover, 'isDue' | 'approve'>, summary: RequestSummary): Promise<undefined> {
  // The right may be given later.
  if (approver.isDue(summary) && !(await approver.approve(summary))) throw new RequeueError('not approved yet');
}

async function sign(signer: Pick<RequestSigner, 'isDue' | 'sign'>, summary: RequestSummary): Promise<undefined> {
  if (signer.isDue(summary)) await signer.sign(summary);
}

async function clean(
  remove: (summary: RequestSummary) => Promise<void>,
  summary: RequestSummary,
  now: number,
): Promise<number | undefined> {
  const { removeAt } = summary;
  if (removeAt >= now) return untilDue(removeAt, now);
  await remove(summary);
  return undefined;
}
