import type { JsonObject, ObjectMeta } from '@orch/machinery';
import { admitted } from '@orch/merge';
import { Slices } from '@orch/runtime/work';
import type { Draft, StageTools } from './draft.js';
import { holdsTooMany } from './object-checks.js';

/**
 * Tracks field ownership, before admission so that fields set by plugins have no owner (KEP-555). An apply has computed
 * its owners itself; fields that the server itself decides have none.
 */
export function ownership(draft: Draft, tools: StageTools): void | Promise<void> {
  const { changeKind } = draft.request;
  if (changeKind === 'apply' || changeKind === 'internal') return own(draft, draft.wantedServed.metadata);
  const large = draft.turn() ?? (draft.request.endpoint.stage && Promise.resolve());
  if (large) return large.then(() => owningInSteps(draft, tools));
  const { manager, live, next, written } = writing(draft, tools);
  own(draft, manager.update(live, next, written).metadata as ObjectMeta);
}

/**
 * Computes the field owners of a large object in steps, and of one whose managers may use versions that a webhook
 * converts to. For an object of very many values owners are not computed: they are as many again, and reading and
 * writing them would block others for too long. An applier owns the fields that it applies all the same, and keeps
 * them.
 */
async function owningInSteps(draft: Draft, tools: StageTools): Promise<void> {
  const { wantedServed, before } = draft;
  if (holdsTooMany(wantedServed, tools.limits.maxOwnedValues)) {
    const managedFields = before?.metadata?.managedFields ?? [];
    return own(draft, { ...wantedServed.metadata, managedFields });
  }
  const { manager, live, next, written } = writing(draft, tools);
  const slices = new Slices();
  const owned = await manager.updateAsync(live, next, written, () => slices.between());
  own(draft, owned.metadata as ObjectMeta);
}

/** Arguments of the field manager, in the version that was sent. */
function writing({ request, wantedServed, before }: Draft, { now }: StageTools) {
  const { endpoint, options, caller, subresource } = request;
  const live = before && endpoint.conversion ? endpoint.conversion.toServed(before) : before;
  return {
    manager: endpoint.fieldManagers(subresource),
    live: live as JsonObject | undefined,
    next: wantedServed as JsonObject,
    written: { manager: options.fieldManager || caller.agent, now: new Date(now()) },
  };
}

function own(draft: Draft, metadata: ObjectMeta | undefined): void {
  if (metadata) draft.wantedServed.metadata = metadata;
  draft.owners = metadata?.managedFields ?? [];
}

/** Restores entries of managedFields that a plugin has made invalid, and warns the client. */
export function checkOwners({ wantedServed, owners, request: { caller } }: Draft): void {
  const owned: JsonObject = { metadata: { managedFields: [...owners] } };
  const { object, warning } = admitted(owned, wantedServed as JsonObject);
  wantedServed.metadata = object.metadata as typeof wantedServed.metadata;
  if (warning !== undefined) caller.warnings.push(warning);
}
