import { type ApiObject, badRequest, notFound, timeout } from '@orch/machinery';
import { DeclaredModel, type ObjectModel, servedObject } from '@orch/resources';
import { type RequestContext, type ResourceCall, sendStatus } from '@orch/serving';
import {
  callerOf,
  type DeletionOptions,
  isReady,
  markDeletion,
  type SetMember,
  serverItself,
  setPodCondition,
} from '@orch/writing';
import { settledOptions, type WireDeleteOptions } from '../bodies/delete-options.js';
import { admitSent, readSent, type SentObject } from '../bodies/sent-object.js';
import type { ApiDeps } from '../deps.js';
import { type Budget, budgetOf, charge, chargeNeeded } from './disruption-budget.js';
import { CREATED } from './success.js';

/** Seconds after which an eviction may be tried again that others came before each time. */
const RETRY_SECONDS = 10;

/**
 * Handles POST of `pods/<name>/eviction`: deletes the pod if its disruption budget allows that. The charge to the
 * budget and the deletion are written together or not at all.
 */
export async function evictPod(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const sent = await readSent(deps, ctx, call, evictionModel(deps));
  const options = await admitSent(deps, ctx, call, sent, ({ metadata }) => {
    if (metadata?.name !== call.name) throw badRequest('name in URL does not match name in Eviction object');
    return deletion(deps, sent);
  });
  await evict(deps, ctx, call, options);
  sendStatus(ctx, CREATED, deps.representations);
}

const evictionModel = ({ scheme }: ApiDeps): ObjectModel =>
  new DeclaredModel({ group: 'policy', version: 'v1', kind: 'Eviction' }, scheme.struct('policy/v1.Eviction'), [
    'policy/v1beta1',
  ]);

/**
 * Returns the options of the pod's deletion: those of the Eviction, and a dry run if either it or the query asks for
 * one.
 */
function deletion({ names }: ApiDeps, { object, options }: SentObject): DeletionOptions {
  const wire = (object as { deleteOptions?: WireDeleteOptions }).deleteOptions ?? {};
  const dryRun = wire.dryRun ?? [];
  if (options.dryRun && dryRun.some((value) => value !== 'All'))
    throw badRequest(`Non-matching dry-run options in request and content: [All] and [${dryRun.join(' ')}]`);
  const given = settledOptions(wire, names);
  return { ...given, dryRun: given.dryRun || options.dryRun };
}

/**
 * Deletes the pod and charges its budget in one transaction.
 * @throws StatusError 404, 409; 403, 429, 500 from the budget; 504 when every attempt was overtaken
 */
async function evict(deps: ApiDeps, ctx: RequestContext, call: ResourceCall, options: DeletionOptions): Promise<void> {
  const { endpoint, namespace, name } = call;
  const key = { namespace, name };
  const caller = callerOf(ctx);
  let budget: Budget | undefined;
  const members = async (): Promise<readonly SetMember[]> => {
    const base = await deps.store.get(endpoint.type, key);
    if (!base) throw notFound(endpoint.groupResource, name);
    const pod = servedObject(endpoint, base);
    const request = { operation: 'DELETE', endpoint, key, subresource: '', caller, options, admitted: true } as const;
    const change = (current: ApiObject) => marked(deps, call, current, options);
    const removal = { request, base, change };
    budget = countsToNoBudget(pod) ? undefined : await budgetOf(deps, pod);
    if (!budget || !chargeNeeded(budget, isReady(pod), deps.unhealthyPodEvictionPolicy)) return [removal];
    return [removal, payment(budget, name, options.dryRun, caller.deadline)];
  };
  if (await deps.sets.write(members, caller.deadline)) return;
  const what = budget ? `PodDisruptionBudget ${JSON.stringify(budget.name)}` : `pod ${JSON.stringify(name)}`;
  throw timeout(`couldn't update ${what} due to conflicts`, RETRY_SECONDS);
}

const NOT_DISRUPTED: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed', 'Pending']);

/** Whether evicting a pod disrupts nothing: it has ended, has not started, or is being deleted. */
const countsToNoBudget = ({ status, metadata }: ApiObject): boolean =>
  NOT_DISRUPTED.has((status as { phase?: string } | undefined)?.phase) || metadata?.deletionTimestamp !== undefined;

/**
 * The pod with the marks of its deletion, and of why. Mutates.
 * @throws StatusError 409 when a precondition does not hold
 */
function marked(deps: ApiDeps, { endpoint }: ResourceCall, pod: ApiObject, options: DeletionOptions): ApiObject {
  const now = Date.now();
  const object = markDeletion(endpoint, pod, options, now);
  if (deps.podDisruptionConditions) {
    const message = 'Eviction API: evicting';
    setPodCondition(
      object,
      { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message },
      now,
    );
  }
  return object;
}

/** The server's own write to the status of the budget. @throws StatusError 403, 429 */
function payment(budget: Budget, pod: string, dryRun: boolean, deadline: number): SetMember {
  // Checked at once, so that the error does not depend on earlier members of the set.
  charge(budget.object, pod, Date.now());
  const { endpoint, base, namespace, name } = budget;
  const caller = serverItself(deadline);
  const key = { namespace, name };
  const request = { operation: 'UPDATE', endpoint, key, subresource: 'status', caller, options: { dryRun } } as const;
  return { request, base, change: (current) => charge(current, pod, Date.now()) };
}
