import { toleratesTaint, untoleratedTaint } from '@orch/machinery';
import type { Taint, Toleration } from '@orch/schema/types/core/v1';
import { ACTION } from '../framework/cluster-event.js';
import type { NodeInfo } from '../framework/node-info.js';
import { type FilterPlugin, normalizeScores, type Rejection, type ScorePlugin } from '../framework/plugin.js';

const NAME = 'TaintToleration';
const NONE: readonly Toleration[] = [];
const NO_TAINTS: readonly Taint[] = [];
const HARD = ['NoSchedule', 'NoExecute'];

/** Keeps pods from nodes with taints that they do not tolerate, and prefers nodes with few of those that only discourage. */
export const taintToleration: FilterPlugin & ScorePlugin = {
  name: NAME,
  events: [{ resource: 'Node', actions: ACTION.add | ACTION.update }],
  prepare({ pod }) {
    const tolerations = pod.spec?.tolerations ?? NONE;
    return {
      filter(node) {
        const taint = untoleratedTaint(taintsOf(node), tolerations, HARD);
        return taint && rejection(taint);
      },
    };
  },
  score({ pod }, nodes) {
    if (nodes.every((node) => taintsOf(node).length === 0)) return undefined;
    const tolerations = (pod.spec?.tolerations ?? NONE).filter(
      ({ effect = '' }) => effect === '' || effect === 'PreferNoSchedule',
    );
    return normalizeScores(
      nodes.map((node) => countIntolerable(taintsOf(node), tolerations)),
      true,
    );
  },
};

function rejection({ key = '', value = '' }: Taint): Rejection {
  return { plugin: NAME, reasons: [`node(s) had untolerated taint {${key}: ${value}}`], isResolvable: false };
}

const taintsOf = ({ node }: NodeInfo): readonly Taint[] => node.spec?.taints ?? NO_TAINTS;

function countIntolerable(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let count = 0;
  for (const taint of taints) {
    if (taint.effect !== 'PreferNoSchedule') continue;
    if (!tolerations.some((toleration) => toleratesTaint(toleration, taint))) count++;
  }
  return count;
}
