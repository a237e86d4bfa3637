import type { ResourceAmounts } from '../../framework/amounts.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { WeightedResource } from '../../framework/plugin-args.js';
import type { Scorer } from './strategies.js';

const COMPUTE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/**
 * Returns the scores of nodes by what they would have left. @param basis whether CPU and memory of the pods there count
 * as they ask for them, or with the defaults of scores
 */
export function allocationScores(
  requests: ResourceAmounts,
  nodes: readonly NodeInfo[],
  basis: 'counted' | 'scored',
  resources: readonly WeightedResource[],
  scorer: Scorer,
): readonly number[] {
  const names = resources.map(({ name }) => name);
  const wanted = names.map((name) => requests.get(name));
  const requested = wanted.map(() => 0);
  const allocatable = wanted.map(() => 0);
  return nodes.map((node) => {
    const used = basis === 'scored' ? node.scoredRequested : node.requested;
    for (let at = 0; at < names.length; at++) {
      const [name, amount] = [names[at] as string, wanted[at] as number];
      // An extended resource that the pod does not ask for says nothing about it.
      const counts = amount !== 0 || COMPUTE.has(name);
      const capacity = counts ? node.allocatable.get(name) : 0;
      allocatable[at] = capacity;
      requested[at] = capacity === 0 ? 0 : amount + used.get(name);
    }
    return scorer(requested, allocatable);
  });
}
