import type { JsonObject } from '@orch/machinery';
import { admitted } from '@orch/merge';
import type { Draft, StageTools } from './draft.js';

/**
 * Who owns which field, drawn before admission so that what plugins set belongs to nobody (KEP-555). What is applied has
 * brought its owners along; what the server itself decides belongs to nobody.
 */
export function ownership(draft: Draft, { now }: StageTools): void {
  const { request, served, old } = draft;
  const { endpoint, options, caller, subresource } = request;
  if (!request.applies && !request.ownChange) {
    const live = old && endpoint.conversion ? endpoint.conversion.toServed(old) : old;
    const manager = options.fieldManager || caller.agent;
    const written = { manager, now: new Date(now()) };
    const owned = endpoint.fieldManagers(subresource).update(live as JsonObject, served as JsonObject, written);
    served.metadata = owned.metadata as typeof served.metadata;
  }
  draft.owners = served.metadata?.managedFields ?? [];
}

/** Behind plugins owners are only looked at: entries that nobody can read are put back, and the client is told. */
export function checkOwners({ served, owners, request: { caller } }: Draft): void {
  const before: JsonObject = { metadata: { managedFields: [...owners] } };
  const { object, warning } = admitted(before, served as JsonObject);
  served.metadata = object.metadata as typeof served.metadata;
  if (warning !== undefined) caller.warnings.push(warning);
}
