import { LabelSelector, labelRequirement, labelSelectorOf, untoleratedTaint } from '@orch/machinery';
import type { Toleration, TopologySpreadConstraint } from '@orch/schema/types/core/v1';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { requiredNodeAffinity } from '../node-affinity.js';

/** A constraint of a pod, parsed. */
export interface SpreadConstraint {
  /** Most pods that a domain may have more than the one with the fewest. */
  readonly maxSkew: number;
  /** Label of nodes: nodes with one value are one domain. */
  readonly topologyKey: string;
  /** Labels of the pods that count. */
  readonly selector: LabelSelector;
  /** Places below which the fewest pods of any count as 0. */
  readonly minDomains: number;
  /** Whether pods on a node count, by its labels and taints; absent where they do on all nodes. */
  readonly isEligible?: (node: NodeInfo) => boolean;
}

/** Constraints of a pod up to which sums by their labels are kept: each is kept by the labels of all. */
export const MOST_SUMMED = 8;

const NO_TOLERATIONS: readonly Toleration[] = [];
const HARD = ['NoSchedule', 'NoExecute'];

/**
 * Returns the constraints of a kind. @param selector of default constraints, which have none of their own
 * @throws SelectorError
 */
export function spreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway',
  pod: PodInfo,
  selector?: LabelSelector,
): readonly SpreadConstraint[] {
  return constraints
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => {
      const isEligible = eligibility(constraint, pod);
      return {
        maxSkew: constraint.maxSkew ?? 1,
        topologyKey: constraint.topologyKey ?? '',
        selector: selector ?? selectorOf(constraint, pod),
        minDomains: constraint.minDomains ?? 1,
        ...(isEligible && { isEligible }),
      };
    });
}

function eligibility(
  { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  pod: PodInfo,
): SpreadConstraint['isEligible'] {
  const isRequired = nodeAffinityPolicy === 'Ignore' ? undefined : requiredNodeAffinity(pod);
  if (nodeTaintsPolicy !== 'Honor') return isRequired;
  const tolerations = pod.pod.spec?.tolerations ?? NO_TOLERATIONS;
  return (node) =>
    isRequired?.(node) !== false && untoleratedTaint(node.node.spec?.taints ?? [], tolerations, HARD) === undefined;
}

/** Adds the pod's own values of the labels that a constraint names (KEP-3243). */
function selectorOf(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  { labels }: PodInfo,
): LabelSelector {
  const selector = labelSelectorOf(labelSelector);
  const own = matchLabelKeys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [labelRequirement(key, 'in', [value])];
  });
  if (own.length === 0 || selector.matchesNothing) return selector;
  return new LabelSelector([...own, ...selector.requirements]);
}

/** Returns the labels of all constraints. */
export const keysOf = (constraints: readonly SpreadConstraint[]): readonly string[] =>
  constraints.map(({ topologyKey }) => topologyKey);

/** Whether a node has the labels of all constraints. */
export function hasAllKeys(node: NodeInfo, constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => node.labels[topologyKey] !== undefined);
}
