import type { LimitRange, LimitRangeItem } from '@orch/schema/types/core/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { ensureObject, fill } from '../values/fields.js';
import { validateLimitRange } from './limit-range-validation.js';

/** Rules of LimitRange. */
export const limitRange: KindDeclaration<LimitRange> = {
  createOnUpdate: true,
  validate: validateLimitRange,
  defaults(object) {
    for (const item of object.spec?.limits ?? []) {
      if (item.type === 'Container') defaultContainerLimits(item);
    }
  },
};

/**
 * Fills in the limits of a resource from those that are there: the default from the maximum, the request from the
 * default.
 */
function defaultContainerLimits(item: LimitRangeItem): void {
  const limits = ensureObject(item, 'default');
  for (const [resource, quantity] of Object.entries(item.max ?? {})) fill(limits, resource, quantity);
  const requests = ensureObject(item, 'defaultRequest');
  for (const [resource, quantity] of Object.entries(limits)) fill(requests, resource, quantity);
  for (const [resource, quantity] of Object.entries(item.min ?? {})) fill(requests, resource, quantity);
}
