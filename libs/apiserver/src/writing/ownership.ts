import { ensureMetadata, type JsonObject } from '@orch/machinery';
import { checkManagedFields, ManagedFieldsError } from '@orch/merge';
import type { Draft, StageTools } from './draft.js';

/**
 * Who owns which field, drawn before admission so that what plugins set belongs to nobody (KEP-555). What is applied has
 * brought its owners along.
 */
export function ownership(draft: Draft, { now }: StageTools): void {
  const { request, served, old } = draft;
  const { endpoint, options, caller, subresource } = request;
  if (!request.applies) {
    const live = old && endpoint.conversion ? endpoint.conversion.toServed(old) : old;
    const manager = options.fieldManager || caller.agent;
    const written = { manager, now: new Date(now()) };
    const owned = endpoint.fieldManagers(subresource).update(live as JsonObject, served as JsonObject, written);
    served.metadata = owned.metadata as typeof served.metadata;
  }
  draft.owners = served.metadata?.managedFields ?? [];
}

/** Behind plugins owners are only looked at: entries that nobody can read are put back, and its client is told. */
export function checkOwners({ served, owners, request: { caller } }: Draft): void {
  const metadata = ensureMetadata(served);
  try {
    checkManagedFields(metadata.managedFields);
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
    metadata.managedFields = [...owners];
    caller.warnings.push(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${error.message}`,
    );
  }
}
