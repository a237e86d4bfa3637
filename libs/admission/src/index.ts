export {
  Admission,
  type AdmissionStep,
  admit,
  type SelectedPlugins,
  type StepObserver,
  timed,
  validate,
} from './admission.js';
export type { AdmittedOperation, Attributes, Operation, OperationOptions, Target } from './attributes.js';
export { type PluginConfiguration, readAdmissionConfiguration } from './configuration.js';
export type { FollowedObjects, KnownObjects, KnownResource } from './known-objects.js';
export { Conditions, type MatchCondition } from './matching/conditions.js';
export { type MatchCriteria, Matcher, type MatchWorld, type SentAs } from './matching/match.js';
export { isExempt, type ResourceVersion, type Rule, ruleMatches } from './matching/rules.js';
export type { ServerWriter } from './own-writes.js';
export {
  type AdmissionPlugin,
  isNeeded,
  type PluginContext,
  type PluginMaker,
  type PluginSettings,
  type ReviewCaller,
  type ServedKind,
} from './plugin.js';
export { isTerminating, terminatingNamespace } from './plugins/namespaces/namespace-lifecycle.js';
export { type BuiltPlugin, PLUGINS, type PluginEntry } from './plugins.js';
export { podSecurityMetrics } from './pod-security/pod-security-metrics.js';
export { policyMetrics } from './policy/policy-metrics.js';
export type { ParamKind, ParamObjects, PolicyServices } from './policy/policy-services.js';
export { type CheckedPolicy, type KnownForm, type KnownKinds, typeWarnings } from './policy/type-check.js';
export { refusal } from './refusal.js';
export { Reinvocation } from './reinvocation.js';
export { type PluginSelection, selectionProblems, selectPlugins } from './selection.js';
export {
  type Exemptions,
  NoAnswer,
  type ObservedCall,
  type Patched,
  type ReviewCall,
  type ReviewClient,
  type ReviewedForms,
  type WebhookObserver,
  type WebhookServices,
  type WebhookState,
  type WebhookTrust,
  type WebhookType,
} from './webhook/webhook-services.js';
