import type { ResourceQuota } from '@orch/schema/types/core/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { quotaSteps, validateQuotaStatus, validateQuotaUpdate } from './resource-quota-validation.js';

/** Rules of ResourceQuota; the scopes are immutable. */
export const resourceQuota: KindDeclaration<ResourceQuota> = {
  validateInSteps: quotaSteps,
  validateUpdate: validateQuotaUpdate,
  validateStatus: validateQuotaStatus,
  row(object) {
    const isLimit = (resource: string) => resource.startsWith('limits');
    return { Request: usage(object, (resource) => !isLimit(resource)), Limit: usage(object, isLimit) };
  },
};

/** `cpu: 1/4, pods: 3/10` for the resources chosen, in name order. */
function usage(object: ResourceQuota, chosen: (resource: string) => boolean): string {
  const used = object.status?.used ?? {};
  return Object.entries(object.status?.hard ?? {})
    .filter(([resource]) => chosen(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${used[resource] ?? '0'}/${hard}`)
    .join(', ');
}
