import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@orch/schema/types/admissionregistration/v1';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { fill } from '../values/fields.js';
import { validateWebhooks } from './webhook-validation.js';

/** Mutating and validating configurations. */
export const webhookConfiguration: KindDeclaration<ValidatingWebhookConfiguration | MutatingWebhookConfiguration> = {
  freeFinalizers: true,
  generation: true,
  unconditionalUpdate: false,
  defaults(object) {
    for (const webhook of object.webhooks ?? []) {
      fill(webhook, 'namespaceSelector', {});
      fill(webhook, 'objectSelector', {});
    }
  },
  gatedFields: [gatedMember('AdmissionWebhookMatchConditions', 'webhooks[].matchConditions')],
  validate: (object, _names, old) => validateWebhooks(object, old),
  row: (object) => ({ Webhooks: (object.webhooks ?? []).length }),
};
