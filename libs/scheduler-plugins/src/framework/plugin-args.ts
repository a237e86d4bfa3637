import type { NodeAffinity, TopologySpreadConstraint } from '@orch/schema/types/core/v1';

/** Arguments of DefaultPreemption: how many nodes are tried. */
export interface DefaultPreemptionArgs {
  /** Percentage of all nodes, 0 to 100. Default: 10. */
  readonly minCandidateNodesPercentage: number;
  /** Number of nodes that are tried at least. Default: 100. */
  readonly minCandidateNodesAbsolute: number;
}

/** Arguments of InterPodAffinity. */
export interface InterPodAffinityArgs {
  /** Weight of required terms of other pods in scores, 0 to 100. Default: 1. */
  readonly hardPodAffinityWeight: number;
  /** Whether preferred terms of other pods count for pods that have none themselves. Default: false, they do. */
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

/** Arguments of NodeAffinity. */
export interface NodeAffinityArgs {
  /** Affinity that is added to that of every pod of the profile. */
  readonly addedAffinity?: NodeAffinity;
}

/** A resource and what it counts beside others. */
export interface WeightedResource {
  /** Name of the resource. */
  readonly name: string;
  /** 1 to 100. Default: 1. */
  readonly weight: number;
}

/** Arguments of NodeResourcesBalancedAllocation. */
export interface BalancedAllocationArgs {
  /** Resources to keep in balance. Default: cpu and memory. */
  readonly resources: readonly WeightedResource[];
}

/** A point of a function that is linear between its points. */
export interface ShapePoint {
  /** Percentage, 0 to 100. */
  readonly utilization: number;
  /** 0 to 10. */
  readonly score: number;
}

/** How nodes are scored by what is free on them. */
export interface ScoringStrategy {
  /** Goal of the scores: much that is free, little, or a function of the share that is used. */
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  /** Default: cpu and memory, with weight 1 each. */
  readonly resources: readonly WeightedResource[];
  /** Points of RequestedToCapacityRatio; none for other types. */
  readonly shape: readonly ShapePoint[];
}

/** Arguments of NodeResourcesFit. */
export interface ResourcesFitArgs {
  /** Extended resources that are not checked. */
  readonly ignoredResources: readonly string[];
  /** Groups of extended resources, `example.com`, that are not checked. */
  readonly ignoredResourceGroups: readonly string[];
  /** How nodes are scored. */
  readonly scoringStrategy: ScoringStrategy;
}

/** Arguments of PodTopologySpread. */
export interface TopologySpreadArgs {
  /** Constraints of pods that have none; with defaultingType List. */
  readonly defaultConstraints: readonly TopologySpreadConstraint[];
  /** `System`: constraints over hosts and zones that are built in. Default: System. */
  readonly defaultingType: 'System' | 'List';
}

/** Arguments of VolumeBinding. */
export interface VolumeBindingArgs {
  /** Seconds that a pod waits for its volumes. Default: 600. */
  readonly bindTimeoutSeconds: number;
  /** Scores by the utilization of static volumes; undefined: they are not scored. */
  readonly shape?: readonly ShapePoint[] | undefined;
}

/** Arguments of the plugins that have any, with defaults, whether or not the plugin is enabled. */
export interface PluginArgs {
  /** How many nodes are tried. */
  readonly DefaultPreemption: DefaultPreemptionArgs;
  /** How terms of other pods count. */
  readonly InterPodAffinity: InterPodAffinityArgs;
  /** Affinity of all pods. */
  readonly NodeAffinity: NodeAffinityArgs;
  /** Resources to keep in balance. */
  readonly NodeResourcesBalancedAllocation: BalancedAllocationArgs;
  /** Resources that are compared, and how nodes are scored. */
  readonly NodeResourcesFit: ResourcesFitArgs;
  /** Constraints of pods that have none. */
  readonly PodTopologySpread: TopologySpreadArgs;
  /** How long volumes are waited for, and how they are scored. */
  readonly VolumeBinding: VolumeBindingArgs;
}
