import type { VersionConversion } from '../conversions/version-conversion.js';
import { edited, filled } from '../values/edited.js';

/** How webhooks were registered before `admissionregistration.orch.io/v1`, which is stricter where nothing is said. */
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
];
