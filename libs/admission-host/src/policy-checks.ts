import type { FollowedObjects } from '@orch/admission';
import type { ApiDeps } from '@orch/handlers';
import { storedEndpoint } from '@orch/resources';
import type { Logger } from '@orch/runtime';
import { LEADERSHIP_MS, Leadership } from '@orch/runtime/work';
import type { FeatureName } from '@orch/schema';
import type { ServingStore } from '@orch/storage';
import type { AdmissionControl } from './admission-control.js';
import { PolicyChecker } from './policy-checker.js';

const POLICIES = { group: 'admissionregistration.orch.io', resource: 'validatingadmissionpolicies' };

/** Admission policies, where they hold. To be called before admission is started. @returns undefined where they do not */
export function followPolicies(
  { objects }: AdmissionControl,
  isEnabled: (feature: FeatureName) => boolean,
): FollowedObjects | undefined {
  return isEnabled('ValidatingAdmissionPolicy') ? objects.forPlugin().objects.follow(POLICIES) : undefined;
}

interface PolicyChecksSettings {
  readonly deps: ApiDeps;
  readonly store: ServingStore;
  readonly policies: FollowedObjects;
  /** Resolves when everything is served that was defined before the call. */
  readonly catchUp: () => Promise<void>;
  readonly logger: Logger;
}

/** Checks the types of policies, in one process of the installation at a time. */
export function policyChecker({ deps, store, policies, catchUp, logger }: PolicyChecksSettings): PolicyChecker {
  return new PolicyChecker({
    deps,
    endpoint: storedEndpoint(deps, POLICIES.group, POLICIES.resource),
    policies,
    leadership: new Leadership(store.lease('policy-types', LEADERSHIP_MS)),
    catchUp,
    onError: (error) => logger.error('types of an admission policy', error),
  });
}
