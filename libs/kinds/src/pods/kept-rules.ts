import type { Names } from '@orch/machinery';
import type { Pod, PodTemplateSpec } from '@orch/schema/types/core/v1';
import type { KindSettings } from '../rules/settings.js';
import { hasWrongSelectors } from './affinity-validation.js';
import { hasDeletionCost } from './annotation-validation.js';
import { NOTHING_KEPT, type PodContext, type ToleratedValues } from './pod-context.js';
import { hasPartsOfPages } from './resource-validation.js';
import { hasWrongSpreadSelectors } from './spread-validation.js';

/**
 * Returns the context of the rules of a pod or a template.
 * @param old in an update, the stored pod or template
 */
export const podContext = (names: Names, settings: KindSettings, old?: Pod | PodTemplateSpec): PodContext => ({
  names,
  settings,
  kept: old === undefined ? NOTHING_KEPT : keptBy(old, names),
});

function keptBy(old: Pod | PodTemplateSpec, names: Names): ToleratedValues {
  const spec = old.spec;
  return {
    affinityValues: hasWrongSelectors(spec?.affinity),
    spreadSelectors: hasWrongSpreadSelectors(spec),
    hugePages: hasPartsOfPages(spec),
    searches: spec?.dnsConfig?.searches ?? [],
    deletionCost: !hasDeletionCost(old.metadata?.annotations ?? {}, names),
  };
}
