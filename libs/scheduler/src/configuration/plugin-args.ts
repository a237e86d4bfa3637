import type { PreemptionArgs } from '../framework/profile.js';
import type { InterPodAffinityArgs } from '../plugins/affinity/affinity-score.js';
import type { NodeAffinityArgs } from '../plugins/node-affinity.js';
import type { BalancedAllocationArgs } from '../plugins/resources/balanced-allocation.js';
import type { FitArgs } from '../plugins/resources/fit.js';
import type { SpreadArgs } from '../plugins/spread/pod-topology-spread.js';
import type { VolumeBindingArgs } from '../plugins/volumes/binding/volume-binding.js';

/** Arguments of the plugins that have any, with defaults, whether or not the plugin is enabled. */
export interface PluginArgs {
  readonly DefaultPreemption: PreemptionArgs;
  readonly InterPodAffinity: InterPodAffinityArgs;
  readonly NodeAffinity: NodeAffinityArgs;
  readonly NodeResourcesBalancedAllocation: BalancedAllocationArgs;
  readonly NodeResourcesFit: Required<FitArgs>;
  readonly PodTopologySpread: SpreadArgs;
  readonly VolumeBinding: VolumeBindingArgs;
}
