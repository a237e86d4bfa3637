export { type AffinityTerm, type LabelSet, termMeans } from './framework/affinity-term.js';
export { ResourceAmounts } from './framework/amounts.js';
export { ACTION, type ClusterEvent, type EventResource } from './framework/cluster-event.js';
export type { ClusterObjects, ClusterView, CountsByNode, PlacedTerm, PodCondition } from './framework/cluster-view.js';
export {
  EXTENSION_POINTS,
  type ExtensionPoint,
  interfaceOf,
  type PluginRegistry,
} from './framework/extension-points.js';
export { meetsAll } from './framework/meets-all.js';
export { NodeInfo } from './framework/node-info.js';
export { observedProfile, type PluginStatus } from './framework/observed-profile.js';
export {
  type FilterPlugin,
  type HypotheticalFilter,
  MAX_SCORE,
  type PluginReservation,
  type PodFilter,
  type PreEnqueuePlugin,
  type QueuedPod,
  type QueueSortPlugin,
  type Rejection,
  type ScorePlugin,
} from './framework/plugin.js';
export type {
  BalancedAllocationArgs,
  DefaultPreemptionArgs,
  PluginArgs,
  ResourcesFitArgs,
  ScoringStrategy,
  ShapePoint,
  TopologySpreadArgs,
  VolumeBindingArgs,
  WeightedResource,
} from './framework/plugin-args.js';
export { type PodInfo, podInfoOf } from './framework/pod-info.js';
export { helpfulEvents, type Profile, type WeighedScore } from './framework/profile.js';
export { INTER_POD_AFFINITY } from './plugins/affinity/affinity-filter.js';
export { requiredNodeAffinity } from './plugins/node-affinity.js';
export { prioritySort } from './plugins/priority-sort.js';
export { type AnyPlugin, makePlugin, type PluginHost, pluginRegistry } from './plugins/registry.js';
export { insufficient } from './plugins/resources/fit.js';
export { VolumeContext, type VolumeStage } from './plugins/volumes/binding/volume-context.js';
export type { VolumeWriter } from './plugins/volumes/binding/volume-writer.js';
export { type VolumeNames, volumeNamesOf } from './plugins/volumes/volume-names.js';
