export {
  ALLOW,
  type Authorizer,
  type Decision,
  MASTERS,
  NO_OPINION,
  type PathRule,
  type RequestAttributes,
  type ResourceRule,
  rulesOf,
  type UserRules,
  union,
} from './authorizer.js';
export { alwaysAllow, alwaysDeny, mastersDecide } from './fixed.js';
export { forbiddenRequest } from './forbidden.js';
export { type NodeAuthorizerOptions, nodeAuthorizer, nodeOf } from './node/node-authorizer.js';
export { NodeGraph, type NodePod } from './node/node-graph.js';
export {
  namesInPod,
  type ReferencedKind,
  type ReferenceKey,
  referencesOfPod,
  referencesOfVolume,
  type VolumeReferences,
} from './node/node-references.js';
export { aggregatedRules, type LabelPredicate, sameRules } from './rbac/aggregation.js';
export {
  autoUpdateAnnotation,
  type BootstrapObject,
  type BootstrapPolicy,
  type BoundUsers,
  bootstrapPolicy,
} from './rbac/bootstrap-policy.js';
export { TooManyRulesError, uncovered } from './rbac/covers.js';
export { describeRules, quotedList } from './rbac/describe-rules.js';
export { type Concerned, namespaceOfRole, RbacPolicy } from './rbac/policy.js';
export type { PolicyRule } from './rbac/policy-rule.js';
export { rbacAuthorizer } from './rbac/rbac-authorizer.js';
export type { BindingObject, RoleObject, RoleRef, RoleSelector, Subject } from './rbac/rbac-objects.js';
export {
  type BindingStep,
  isProtected,
  type ReconciledBinding,
  type ReconciledRole,
  reconciledBinding,
  reconciledRole,
} from './rbac/reconcile.js';
export {
  type AccessReviewVersion,
  readWebhookVerdict,
  type WebhookAuthorizerOptions,
  type WebhookVerdict,
  webhookAuthorizer,
} from './webhook/webhook-authorizer.js';
