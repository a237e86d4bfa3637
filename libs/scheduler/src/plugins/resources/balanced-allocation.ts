import type { ScorePlugin } from '../../framework/plugin.js';
import { allocationScores } from './allocation.js';
import { balancedScorer, type WeighedResource } from './strategies.js';

/** Arguments of NodeResourcesBalancedAllocation. */
export interface BalancedAllocationArgs {
  readonly resources: readonly WeighedResource[];
}

/** Prefers nodes of which the pod would leave all resources used up evenly. */
export function balancedAllocation({ resources }: BalancedAllocationArgs): ScorePlugin {
  return {
    name: 'NodeResourcesBalancedAllocation',
    score: ({ requests }, nodes) => allocationScores(requests, nodes, 'counted', resources, balancedScorer),
  };
}
