import { badRequest, notFound } from '@orch/machinery';
import { type RequestContext, type ResourceCall, sendStatus } from '@orch/serving';
import { bindingModel, bindPod, callerOf, type SentAction } from '@orch/writing';
import { creationTarget, readSent } from '../bodies/sent-object.js';
import type { ApiDeps } from '../deps.js';
import { endpointOf } from './other-objects.js';
import { CREATED } from './success.js';

/** POST of `pods/<name>/binding`. */
export async function createPodBinding(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  await bind(deps, ctx, call, await readSent(deps, ctx, call, bindingModel(deps.scheme)));
}

/** POST of `bindings`: the same, of the pod that the Binding names. */
export async function createBinding(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const sent = await readSent(deps, ctx, call, bindingModel(deps.scheme));
  const name = sent.object.metadata?.name ?? '';
  if (name === '') throw badRequest('Name parameter required.');
  // The one name that no path could hold.
  if (name.includes('\0')) throw notFound({ group: '', resource: 'pods' }, name);
  await bind(deps, ctx, { ...call, name }, sent);
}

/** @throws StatusError 400, 404, 409, 422; 403 from admission */
async function bind(deps: ApiDeps, ctx: RequestContext, call: ResourceCall, sent: SentAction): Promise<void> {
  const pods = endpointOf(deps, '', 'pods');
  await bindPod(deps, pods, creationTarget(call), sent, callerOf(ctx));
  sendStatus(ctx, CREATED, deps.representations);
}
