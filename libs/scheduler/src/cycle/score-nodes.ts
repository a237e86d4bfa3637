import { Slices } from '@orch/runtime/work';
import type { ClusterView, NodeInfo, PodInfo, WeighedScore } from '@orch/scheduler-plugins';

/** Returns the sum of the weighed scores of each node, in their order. @throws Error where a plugin cannot judge */
export async function totalScores(
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  view: ClusterView,
  plugins: readonly WeighedScore[],
): Promise<readonly number[]> {
  const totals = nodes.map(() => 0);
  const slices = new Slices();
  for (const { plugin, weight } of plugins) {
    const scores = plugin.score(pod, nodes, view);
    if (scores)
      for (let at = 0; at < totals.length; at++) totals[at] = (totals[at] as number) + weight * (scores[at] as number);
    const pause = slices.between();
    if (pause) await pause;
  }
  return totals;
}

/** Returns one of the nodes with the highest total, each with the same chance. @param random 0 to 1 */
export function pickNode(nodes: readonly NodeInfo[], totals: readonly number[], random: () => number): NodeInfo {
  let [best, ties] = [0, 1];
  for (let at = 1; at < nodes.length; at++) {
    const [total, highest] = [totals[at] as number, totals[best] as number];
    if (total > highest) [best, ties] = [at, 1];
    else if (total === highest && random() * ++ties < 1) best = at;
  }
  return nodes[best] as NodeInfo;
}
