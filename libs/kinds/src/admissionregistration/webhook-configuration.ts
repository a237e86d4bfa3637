import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { fill, isEmpty, objectsAt } from '../values/fields.js';
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
  prepareForCreate: dropConditions,
  prepareForUpdate(object, old) {
    if (objectsAt(old, 'webhooks').every((webhook) => isEmpty(webhook.matchConditions))) dropConditions(object);
  },
  validate: (object, _names, old) => validateWebhooks(object, old),
  row: (object) => ({ Webhooks: objectsAt(object, 'webhooks').length }),
};

/** Conditions are an alpha feature of the release, which is off. */
function dropConditions(object: ApiObject): void {
  for (const webhook of objectsAt(object, 'webhooks')) delete webhook.matchConditions;
}
