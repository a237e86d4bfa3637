export { QuotaCharges, resourceOf } from './charges/quota-charges.js';
export { type KnownQuota, QuotaIndex } from './charges/quota-index.js';
export { type AllocationClaims, type Claim, openClaims } from './charges/store-claims.js';
export { ControllerClient, type ControllerHost, type UpdateSettings } from './controllers/controller-client.js';
export type { ControllerSeats } from './controllers/controller-seats.js';
export { type DeleteOptions, markDeletion, type PropagationPolicy } from './own/deletion.js';
export { type EmptyingTools, emptyCollection } from './own/empty-collection.js';
export { readMade } from './own/made-object.js';
export { ignoreMissing, isMissing, isNamespaceMissing } from './own/missing.js';
export { ObjectRemover, REMOVALS } from './own/object-remover.js';
export { ensureOwn, type OwnCreations } from './own/own-creation.js';
export { type OwnWrites, updateOwn } from './own/own-update.js';
export { type Rewriting, rewriteCollection } from './own/rewrite-collection.js';
export {
  authorizerOf,
  type Caller,
  callerOf,
  type OwnRun,
  serverForUsers,
  serverIn,
  serverItself,
} from './pipeline/caller.js';
export { WritePipeline } from './pipeline/write-pipeline.js';
export type { Change, Modification, WriteRequest } from './pipeline/write-request.js';
export { type SetMember, WriteSets } from './pipeline/write-sets.js';
export type { Draft } from './stages/draft.js';
export { holdsTooMany, invalidObject, namedVersion, type ObjectLimits, requireUid } from './stages/object-checks.js';
