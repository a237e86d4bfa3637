import type { KindDeclaration } from '../rules/kind-rules.js';
import { fill, objectsAt } from '../values/fields.js';

/** Mutating and validating configurations. */
export const webhookConfiguration: KindDeclaration = {
  generation: true,
  unconditionalUpdate: false,
  defaults(object) {
    for (const webhook of objectsAt(object, 'webhooks')) {
      fill(webhook, 'namespaceSelector', {});
      fill(webhook, 'objectSelector', {});
    }
  },
  row: (object) => ({ Webhooks: objectsAt(object, 'webhooks').length }),
};
