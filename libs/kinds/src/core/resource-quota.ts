import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { mapAt } from '../values/fields.js';
import { quotaSteps, validateQuotaStatus, validateQuotaUpdate } from './resource-quota-validation.js';

export const resourceQuota: KindDeclaration = {
  validateInSteps: quotaSteps,
  validateUpdate: validateQuotaUpdate,
  validateStatus: validateQuotaStatus,
  row(object) {
    const isLimit = (resource: string) => resource.startsWith('limits');
    return { Request: usage(object, (resource) => !isLimit(resource)), Limit: usage(object, isLimit) };
  },
};

/** `cpu: 1/4, pods: 3/10` for the resources chosen, in name order. */
function usage(object: ApiObject, chosen: (resource: string) => boolean): string {
  const used = mapAt(object, 'status', 'used');
  return Object.entries(mapAt(object, 'status', 'hard'))
    .filter(([resource]) => chosen(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${used[resource] ?? '0'}/${hard}`)
    .join(', ');
}
