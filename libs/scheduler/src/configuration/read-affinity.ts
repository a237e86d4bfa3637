import type {
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySpreadConstraint,
} from '@orch/schema/types/core/v1';
import type { StrictFields } from './strict-fields.js';

/** Reads an affinity to nodes. */
export function nodeAffinityFields(fields: StrictFields): NodeAffinity {
  const required = fields.object('requiredDuringSchedulingIgnoredDuringExecution', nodeSelectorFields);
  const preferred = fields.objects('preferredDuringSchedulingIgnoredDuringExecution', (each) => ({
    weight: each.integer('weight') ?? 0,
    preference: each.object('preference', termFields) ?? {},
  }));
  return {
    ...(required && { requiredDuringSchedulingIgnoredDuringExecution: required }),
    ...(preferred && { preferredDuringSchedulingIgnoredDuringExecution: [...preferred] }),
  };
}

/** Reads a constraint of topology spread; its selector is left as it is, as it may not be set. */
export function topologyConstraintFields(fields: StrictFields): TopologySpreadConstraint {
  const labelSelector = fields.any('labelSelector') as TopologySpreadConstraint['labelSelector'];
  const minDomains = fields.integer('minDomains');
  const nodeAffinityPolicy = fields.optionalText('nodeAffinityPolicy') as 'Honor' | 'Ignore' | undefined;
  const nodeTaintsPolicy = fields.optionalText('nodeTaintsPolicy') as 'Honor' | 'Ignore' | undefined;
  return {
    maxSkew: fields.integer('maxSkew') ?? 0,
    topologyKey: fields.text('topologyKey'),
    whenUnsatisfiable: fields.text('whenUnsatisfiable') as 'DoNotSchedule' | 'ScheduleAnyway',
    ...(labelSelector && { labelSelector }),
    ...(minDomains !== undefined && { minDomains }),
    ...(nodeAffinityPolicy && { nodeAffinityPolicy }),
    ...(nodeTaintsPolicy && { nodeTaintsPolicy }),
    matchLabelKeys: [...fields.texts('matchLabelKeys')],
  };
}

const nodeSelectorFields = (fields: StrictFields): NodeSelector => ({
  nodeSelectorTerms: [...(fields.objects('nodeSelectorTerms', termFields) ?? [])],
});

const termFields = (fields: StrictFields): NodeSelectorTerm => ({
  matchExpressions: [...(fields.objects('matchExpressions', requirementFields) ?? [])],
  matchFields: [...(fields.objects('matchFields', requirementFields) ?? [])],
});

const requirementFields = (fields: StrictFields): NodeSelectorRequirement => ({
  key: fields.text('key'),
  operator: fields.text('operator') as NonNullable<NodeSelectorRequirement['operator']>,
  values: [...fields.texts('values')],
});
