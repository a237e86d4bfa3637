import type { FollowedObjects } from '@orch/admission';
import type { Controller } from '@orch/controllers';
import type { ApiDeps } from '@orch/handlers';
import { storedEndpoint } from '@orch/resources';
import type { FeatureName } from '@orch/schema';
import type { AdmissionControl } from './admission-control.js';
import { policyStatus } from './policy-status.js';

const POLICIES = { group: 'admissionregistration.orch.io', resource: 'validatingadmissionpolicies' };

/** Admission policies, where they hold. To be called before admission is started. @returns undefined where they do not */
export function followPolicies(
  { objects }: AdmissionControl,
  isEnabled: (feature: FeatureName) => boolean,
): FollowedObjects | undefined {
  return isEnabled('ValidatingAdmissionPolicy') ? objects.forPlugin().objects.follow(POLICIES) : undefined;
}

/** Dependencies of the controller of policies. */
interface PolicyStatusSettings {
  readonly deps: ApiDeps;
  readonly policies: FollowedObjects;
  /** Resolves when everything is served that was defined before the call. */
  readonly catchUp: () => Promise<void>;
}

/** The controller that checks the types of policies. */
export const policyController = ({ deps, policies, catchUp }: PolicyStatusSettings): Controller =>
  policyStatus({
    ...{ deps, catchUp, policies: policies.informer },
    endpoint: storedEndpoint(deps, POLICIES.group, POLICIES.resource),
  });
