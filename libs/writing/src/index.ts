export { bindingModel, bindPod } from './actions/binding.js';
export { isReady, setPodCondition } from './actions/pod-conditions.js';
export { type ActionTarget, admitAction, type SentAction } from './actions/sent-action.js';
export { QuotaCharges, resourceOf } from './charges/quota-charges.js';
export { type KnownQuota, QuotaIndex } from './charges/quota-index.js';
export { type AllocationClaims, type Claim, openClaims } from './charges/store-claims.js';
export { ControllerClient } from './controllers/controller-client.js';
export type { ControllerSeats } from './controllers/controller-seats.js';
export { LocalClient, type LocalHost, type UpdateSettings } from './controllers/local-client.js';
export { type LocalIdentity, LocalRequests } from './controllers/local-requests.js';
export { patiently } from './controllers/patience.js';
export { type BinderHost, PodBinder } from './controllers/pod-binder.js';
export { attributesOf } from './controllers/request-attributes.js';
export { type DeletionOptions, markDeletion, type PropagationPolicy } from './own/deletion.js';
export { type EmptyingTools, emptyCollection } from './own/empty-collection.js';
export { readMade } from './own/made-object.js';
export { ignoreMissing, isMissing, isNamespaceMissing } from './own/missing.js';
export { ObjectRemover, REMOVALS } from './own/object-remover.js';
export { ensureOwn, type OwnCreations } from './own/own-creation.js';
export { type UpdateTarget, updateOwn } from './own/own-update.js';
export { removalAnswer } from './own/removal-answer.js';
export { type Rewriting, rewriteCollection } from './own/rewrite-collection.js';
export {
  type Caller,
  callerOf,
  type OwnRun,
  serverForUsers,
  serverIn,
  serverItself,
} from './pipeline/caller.js';
export { WritePipeline } from './pipeline/write-pipeline.js';
export type { Modification, UpdateFunction, WriteRequest } from './pipeline/write-request.js';
export { type SetMember, WriteSets } from './pipeline/write-sets.js';
export type { Draft } from './stages/draft.js';
export { holdsTooMany, invalidObject, namedVersion, type ObjectLimits, requireUid } from './stages/object-checks.js';
