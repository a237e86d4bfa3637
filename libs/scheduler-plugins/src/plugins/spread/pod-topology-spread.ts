import type { Names } from '@orch/machinery';
import type { TopologySpreadConstraint } from '@orch/schema/types/core/v1';
import { ACTION } from '../../framework/cluster-event.js';
import type { ClusterObjects } from '../../framework/cluster-view.js';
import type { FilterPlugin, ScorePlugin } from '../../framework/plugin.js';
import type { TopologySpreadArgs } from '../../framework/plugin-args.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { type SpreadConstraint, spreadConstraints } from './constraints.js';
import { defaultSelector } from './default-selector.js';
import { SPREAD, SpreadFilter } from './spread-filter.js';
import { spreadScores } from './spread-score.js';

/** Constraints of pods that have none. */
const systemDefaults = (names: Names): readonly TopologySpreadConstraint[] => [
  { topologyKey: names.key('orch.io/hostname'), whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: names.key('topology.orch.io/zone'), whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/** When a constraint holds: always, or where it can. */
type WhenUnsatisfiable = 'DoNotSchedule' | 'ScheduleAnyway';

/** Returns the constraints of a pod, or the default ones for a pod that has none and belongs to others. */
function constraintsOf(
  pod: PodInfo,
  when: WhenUnsatisfiable,
  objects: ClusterObjects,
  defaults: readonly TopologySpreadConstraint[],
): readonly SpreadConstraint[] {
  const own = ownConstraints(pod);
  if (own.length > 0) return spreadConstraints(own, when, pod);
  if (!defaults.some(({ whenUnsatisfiable }) => whenUnsatisfiable === when)) return [];
  const selector = defaultSelector(pod, objects);
  return selector ? spreadConstraints(defaults, when, pod, selector) : [];
}

const ownConstraints = ({ pod }: PodInfo) => pod.spec?.topologySpreadConstraints ?? [];

/** Spreads the pods that constraints mean over domains of nodes. */
export function podTopologySpread(
  { defaultConstraints, defaultingType }: TopologySpreadArgs,
  names: Names,
): FilterPlugin & ScorePlugin {
  const hostname = names.key('orch.io/hostname');
  const isSystem = defaultingType === 'System';
  const defaults = isSystem ? systemDefaults(names) : defaultConstraints;
  return {
    name: SPREAD,
    events: [
      { resource: 'Pod', actions: ACTION.all },
      { resource: 'Node', actions: ACTION.add | ACTION.delete | ACTION.updateLabels },
    ],
    prepare(pod, view) {
      const constraints = constraintsOf(pod, 'DoNotSchedule', view.objects, defaults);
      return constraints.length === 0 ? undefined : SpreadFilter.of(pod, constraints, view);
    },
    score(pod, nodes, view) {
      const constraints = constraintsOf(pod, 'ScheduleAnyway', view.objects, defaults);
      if (constraints.length === 0) return undefined;
      const needsAllKeys = !isSystem || ownConstraints(pod).length > 0;
      return spreadScores(pod, constraints, nodes, view, { needsAllKeys, hostname });
    },
  };
}
