import {
  type ApiObject,
  forbidden,
  formatTime,
  type LabelSelectorObject,
  labelSelectorOf,
  SelectorError,
  StatusError,
} from '@orch/machinery';
import { type Endpoint, type Stored, servedObject } from '@orch/resources';
import { Slices } from '@orch/runtime/work';
import type { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '@orch/schema/types/policy/v1';
import type { ApiDeps } from '../deps.js';

/** Evictions that the controller has not counted yet, of which a budget takes no more. */
const MOST_DISRUPTED = 2_000;
/** Seconds after which an eviction may be retried that came before the controller has processed the budget. */
const RETRY_SECONDS = 10;

/** A PodDisruptionBudget as it was just read. */
export interface Budget {
  /** Endpoint of budgets. */
  readonly endpoint: Endpoint;
  /** The stored budget, as the base of a write. */
  readonly base: Stored;
  readonly namespace: string;
  readonly name: string;
  /** The budget in the served version. */
  readonly object: ApiObject;
}

const statusOf = (budget: ApiObject) => (budget.status ?? {}) as PodDisruptionBudgetStatus;
const specOf = (budget: ApiObject) => (budget.spec ?? {}) as PodDisruptionBudgetSpec;

/** The one budget that a pod counts to; undefined for none. @throws StatusError 500 for several */
export async function budgetOf(deps: ApiDeps, pod: ApiObject): Promise<Budget | undefined> {
  const endpoint = budgetsOf(deps);
  const { namespace = '', labels = {} } = pod.metadata ?? {};
  const found: Budget[] = [];
  const slices = new Slices();
  const listed = await deps.lister.list({ endpoint, namespace, options: { freshness: { want: 'recent' }, limit: 0 } });
  for await (const page of listed.pages) {
    for (const base of page) {
      const object = servedObject(endpoint, base);
      if (selects(object, labels)) found.push({ endpoint, base, namespace, name: base.name, object });
      await slices.between();
    }
  }
  if (found.length > 1) throw severalBudgets();
  return found[0];
}

/**
 * Returns the endpoint of budgets, also where they are switched off: they protect pods for clients of another server.
 */
function budgetsOf({ served, unserved }: ApiDeps): Endpoint {
  const [group, resource] = ['policy', 'poddisruptionbudgets'];
  const found =
    served.current.ofResource(group, resource) ??
    unserved.find(({ definition }) => definition.group === group && definition.resource === resource);
  if (!found) throw new Error('budgets are not declared');
  return found;
}

function selects(budget: ApiObject, labels: Record<string, string>): boolean {
  try {
    return labelSelectorOf(specOf(budget).selector as LabelSelectorObject | undefined).matches(labels);
  } catch (error) {
    // An invalid selector matches nothing, and must not protect pods for ever.
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

const severalBudgets = () =>
  new StatusError(
    'InternalError',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  );

/**
 * Whether the eviction of a pod counts against its budget. A pod that is not ready is not among the healthy ones of the
 * budget: it may go while these are enough, or always where the budget's policy says so.
 * @param byPolicy the feature gate `PDBUnhealthyPodEvictionPolicy`
 */
export function chargeNeeded({ object }: Budget, ready: boolean, byPolicy: boolean): boolean {
  if (ready) return true;
  if (byPolicy && specOf(object).unhealthyPodEvictionPolicy === 'AlwaysAllow') return false;
  const { currentHealthy = 0, desiredHealthy = 0 } = statusOf(object);
  return currentHealthy < desiredHealthy || desiredHealthy <= 0;
}

/**
 * Takes one disruption from the budget, for a pod. Mutates.
 * @param now milliseconds since 1970
 * @throws StatusError 429 where there is none, or it is not known yet; 403 for a budget that cannot be charged
 */
export function charge(budget: ApiObject, pod: string, now: number): ApiObject {
  const status = statusOf(budget);
  const name = budget.metadata?.name ?? '';
  refuseIfExhausted(status, name, budget.metadata?.generation ?? 0);
  const left = (status.disruptionsAllowed ?? 0) - 1;
  status.disruptionsAllowed = left;
  status.disruptedPods = { ...status.disruptedPods, [pod]: formatTime(now) };
  if (left === 0) setExhausted(status, now);
  budget.status = status;
  return budget;
}

function refuseIfExhausted(status: PodDisruptionBudgetStatus, name: string, generation: number): void {
  const { disruptionsAllowed: allowed = 0, desiredHealthy = 0, currentHealthy = 0 } = status;
  if (Number(status.observedGeneration ?? 0) < generation)
    throw violated(`The disruption budget ${name} is still being processed by the server.`, RETRY_SECONDS);
  if (allowed < 0) throw unchargeable(name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > MOST_DISRUPTED)
    throw unchargeable(name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (allowed === 0)
    throw violated(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
}

const violated = (message: string, retryAfterSeconds?: number) =>
  new StatusError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds && { retryAfterSeconds }),
  });

const unchargeable = (name: string, why: string) =>
  forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, why);

/** Sets the condition as the controller would once no disruptions are allowed any more. */
function setExhausted(status: PodDisruptionBudgetStatus, now: number): void {
  const type = 'DisruptionAllowed';
  const conditions = status.conditions ?? [];
  const before = conditions.findIndex((condition) => condition.type === type);
  const known = conditions[before];
  const next = {
    type,
    status: 'False',
    ...(status.observedGeneration !== undefined && { observedGeneration: status.observedGeneration }),
    lastTransitionTime: (known?.status === 'False' && known.lastTransitionTime) || formatTime(now),
    reason: 'InsufficientPods',
    message: '',
  };
  status.conditions = before < 0 ? [...conditions, next] : conditions.with(before, next);
}
