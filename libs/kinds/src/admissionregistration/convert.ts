import type { ApiObject } from '@orch/machinery';
import type { VersionConversion } from '../conversions/version-conversion.js';
import { edited, filled } from '../values/edited.js';

const POLICIES = {
  kinds: ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  hub: 'admissionregistration.orch.io/v1alpha1',
  /** Writes out the hub's meaning of an unset action. */
  fromHub: (object: ApiObject) =>
    edited(object, 'spec.paramRef', (ref) => filled(ref, { parameterNotFoundAction: 'Deny' })),
};

/**
 * Conversions of webhook configurations from versions before `admissionregistration.orch.io/v1`, which has stricter
 * defaults, and of policies in the versions of later releases.
 */
export const ADMISSIONREGISTRATION_VERSIONS: readonly VersionConversion[] = [
  {
    version: 'admissionregistration.orch.io/v1beta1',
    kinds: ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
    hub: 'admissionregistration.orch.io/v1',
    defaults: (object) =>
      edited(object, 'webhooks.*', (webhook) =>
        filled(webhook, {
          failurePolicy: 'Ignore',
          matchPolicy: 'Exact',
          sideEffects: 'Unknown',
          timeoutSeconds: 30,
          admissionReviewVersions: ['v1beta1'],
        }),
      ),
  },
  { version: 'admissionregistration.orch.io/v1', ...POLICIES },
  { version: 'admissionregistration.orch.io/v1beta1', ...POLICIES },
];
