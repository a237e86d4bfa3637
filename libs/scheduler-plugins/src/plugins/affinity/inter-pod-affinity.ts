import { ACTION } from '../../framework/cluster-event.js';
import type { FilterPlugin, ScorePlugin } from '../../framework/plugin.js';
import type { InterPodAffinityArgs } from '../../framework/plugin-args.js';
import { AffinityFilter, INTER_POD_AFFINITY } from './affinity-filter.js';
import { affinityScores } from './affinity-score.js';
import { countAhead } from './own-places.js';

/** Keeps pods near to others, or away from them, by required terms, and prefers nodes by preferred ones. */
export function interPodAffinity(args: InterPodAffinityArgs): FilterPlugin & ScorePlugin {
  return {
    name: INTER_POD_AFFINITY,
    events: [
      { resource: 'Pod', actions: ACTION.all },
      { resource: 'Node', actions: ACTION.add | ACTION.delete | ACTION.updateLabels },
    ],
    ahead: countAhead,
    prepare(pod, view) {
      if (pod.error) {
        return { plugin: INTER_POD_AFFINITY, reasons: [`parsing pod: ${pod.error.message}`], isResolvable: false };
      }
      return AffinityFilter.of(pod, view);
    },
    score: (pod, nodes, view) => affinityScores(pod, nodes, view, args),
  };
}
