import type { KindDeclaration } from '../rules/kind-rules.js';
import { ensureObject, fill, type Json, objectAt, objectsAt } from '../values/fields.js';
import { validateLimitRange } from './limit-range-validation.js';

export const limitRange: KindDeclaration = {
  createOnUpdate: true,
  validate: validateLimitRange,
  defaults(object) {
    for (const item of objectsAt(object, 'spec', 'limits')) {
      if (item.type === 'Container') defaultContainerLimits(item);
    }
  },
};

/** What is not said of a resource follows from what is: the default from the maximum, the request from the default. */
function defaultContainerLimits(item: Json): void {
  const limits = ensureObject(item, 'default');
  for (const [resource, quantity] of Object.entries(objectAt(item, 'max'))) fill(limits, resource, quantity);
  const requests = ensureObject(item, 'defaultRequest');
  for (const [resource, quantity] of Object.entries(limits)) fill(requests, resource, quantity);
  for (const [resource, quantity] of Object.entries(objectAt(item, 'min'))) fill(requests, resource, quantity);
}
