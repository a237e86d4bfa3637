import type { NodeInfo, PodInfo, Rejection } from '@orch/scheduler-plugins';
import type { PodDisruptionBudget } from '@orch/schema/types/policy/v1';
import type { FilterEvaluation } from '../cycle/filter-evaluation.js';
import { byBudgets } from './budgets.js';
import { byImportance, type Candidate } from './candidates.js';

const NO_VICTIMS: Rejection = {
  plugin: 'DefaultPreemption',
  reasons: ['No preemption victims found for incoming pod'],
  isResolvable: false,
};

/**
 * Returns the fewest pods of lower priority without which a pod fits on a node: all are taken away, and put back one
 * after another where it still fits, first those whose deletion violates a budget, the most important first.
 */
export function victimsOn(
  node: NodeInfo,
  evaluation: FilterEvaluation,
  budgetsOf: (namespace: string) => Iterable<PodDisruptionBudget>,
): Candidate | Rejection {
  const trial = evaluation.trial(node);
  const lower = [...node.pods].filter(({ priority }) => priority < evaluation.pod.priority);
  if (lower.length === 0) return NO_VICTIMS;
  for (const pod of lower) trial.removePod(pod);
  const rejection = evaluation.filterTrial(trial, node);
  if (rejection) return rejection;
  const putsBack = (pod: PodInfo): boolean => {
    trial.addPod(pod);
    if (evaluation.filterTrial(trial, node) === undefined) return true;
    trial.removePod(pod);
    return false;
  };
  const { violating, others } = byBudgets(lower.sort(byImportance), budgetsOf);
  const violatingVictims = violating.filter((pod) => !putsBack(pod));
  const victims = [...violatingVictims, ...others.filter((pod) => !putsBack(pod))];
  // The pod would fit as it is: what was found out before has changed, and nobody has to go.
  if (victims.length === 0) return NO_VICTIMS;
  return { node: node.name, victims: victims.sort(byImportance), violations: violatingVictims.length };
}
