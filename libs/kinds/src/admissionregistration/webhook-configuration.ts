import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { fill, objectsAt } from '../values/fields.js';
import { validateWebhooks } from './webhook-validation.js';

/** Mutating and validating configurations. */
export const webhookConfiguration: KindDeclaration = {
  freeFinalizers: true,
  generation: true,
  unconditionalUpdate: false,
  defaults(object) {
    for (const webhook of objectsAt(object, 'webhooks')) {
      fill(webhook, 'namespaceSelector', {});
      fill(webhook, 'objectSelector', {});
    }
  },
  gatedFields: [gatedMember('AdmissionWebhookMatchConditions', 'webhooks[].matchConditions')],
  validate: (object, _names, old) => validateWebhooks(object, old),
  row: (object) => ({ Webhooks: objectsAt(object, 'webhooks').length }),
};
