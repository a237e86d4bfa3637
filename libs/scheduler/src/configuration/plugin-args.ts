import type { PreemptionArgs } from '../framework/profile.js';
import type { InterPodAffinityArgs } from '../plugins/affinity/affinity-score.js';
import type { NodeAffinityArgs } from '../plugins/node-affinity.js';
import type { BalancedAllocationArgs } from '../plugins/resources/balanced-allocation.js';
import type { FitArgs } from '../plugins/resources/fit.js';
import type { SpreadArgs } from '../plugins/spread/pod-topology-spread.js';
import type { VolumeBindingArgs } from '../plugins/volumes/binding/volume-binding.js';

/** Arguments of the plugins that have any, with defaults, whether or not the plugin is enabled. */
export interface PluginArgs {
  /** How many nodes are tried. */
  readonly DefaultPreemption: PreemptionArgs;
  /** How terms of other pods count. */
  readonly InterPodAffinity: InterPodAffinityArgs;
  /** Affinity of all pods. */
  readonly NodeAffinity: NodeAffinityArgs;
  /** Resources to keep in balance. */
  readonly NodeResourcesBalancedAllocation: BalancedAllocationArgs;
  /** Resources that are compared, and how nodes are scored. */
  readonly NodeResourcesFit: Required<FitArgs>;
  /** Constraints of pods that have none. */
  readonly PodTopologySpread: SpreadArgs;
  /** How long volumes are waited for, and how they are scored. */
  readonly VolumeBinding: VolumeBindingArgs;
}
