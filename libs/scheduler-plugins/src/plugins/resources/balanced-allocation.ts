import type { ScorePlugin } from '../../framework/plugin.js';
import type { BalancedAllocationArgs } from '../../framework/plugin-args.js';
import { allocationScores } from './allocation.js';
import { balancedScorer } from './strategies.js';

/** Prefers nodes of which the pod would leave all resources used up evenly. */
export function balancedAllocation({ resources }: BalancedAllocationArgs): ScorePlugin {
  return {
    name: 'NodeResourcesBalancedAllocation',
    score: ({ requests }, nodes) => allocationScores(requests, nodes, 'counted', resources, balancedScorer),
  };
}
