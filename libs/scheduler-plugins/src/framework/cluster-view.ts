import type { SharedInformer } from '@orch/runtime/informers';
import type { ReplicaSet, StatefulSet } from '@orch/schema/types/apps/v1';
import type {
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicationController,
  Service,
} from '@orch/schema/types/core/v1';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '@orch/schema/types/storage/v1';
import type { AffinityTerm, LabelSet } from './affinity-term.js';
import type { NodeInfo } from './node-info.js';

/** Objects beside pods and nodes that plugins read; those with a namespace are indexed by `namespace`. */
export interface ClusterObjects {
  /** Namespaces, whose labels terms of affinity select. */
  readonly namespaces: SharedInformer<Namespace>;
  /** Services, whose pods are spread by default. */
  readonly services: SharedInformer<Service>;
  /** ReplicationControllers, whose pods are spread by default. */
  readonly replicationControllers: SharedInformer<ReplicationController>;
  /** ReplicaSets, whose pods are spread by default. */
  readonly replicaSets: SharedInformer<ReplicaSet>;
  /** StatefulSets, whose pods are spread by default. */
  readonly statefulSets: SharedInformer<StatefulSet>;
  /** Volumes that claims are bound to, or can be. */
  readonly persistentVolumes: SharedInformer<PersistentVolume>;
  /** Claims that pods use. */
  readonly persistentVolumeClaims: SharedInformer<PersistentVolumeClaim>;
  /** Classes of claims that are not bound yet. */
  readonly storageClasses: SharedInformer<StorageClass>;
  /** Drivers of each node, and how many volumes they attach. */
  readonly csiNodes: SharedInformer<CSINode>;
  /** Drivers, and whether their capacities count. */
  readonly csiDrivers: SharedInformer<CSIDriver>;
  /** Room for volumes of drivers, by places of nodes. */
  readonly csiStorageCapacities: SharedInformer<CSIStorageCapacity>;
}

/** Pods that are meant, all of these conditions together. */
export interface PodCondition {
  /** Namespaces by name; undefined for all, known or not. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** Labels of the pods. */
  readonly selector: AffinityTerm['selector'];
}

/** Number of pods by node; a node without any is absent. */
export interface CountsByNode extends Iterable<[NodeInfo, number]> {
  /** Number of nodes with pods. */
  readonly size: number;
  /** Returns the number of a node; undefined for none. */
  get(node: NodeInfo): number | undefined;
  /** Returns the sums by the values of a label, of known nodes with all that are needed; values without pods are absent. */
  sums(label: string, needed?: readonly string[]): ReadonlyMap<string, number>;
}

/** A group of equal terms of pods that are on nodes. */
export interface PlacedTerm {
  /** The term that they share. */
  readonly term: AffinityTerm;
  /** Pods with this term by node. */
  readonly counts: CountsByNode;
}

/** State of the cluster for plugins: it does not change while a decision is made. */
export interface ClusterView {
  /** All nodes, in the order in which they are looked at: zones take turns. */
  readonly nodes: readonly NodeInfo[];
  /** Other objects. */
  readonly objects: ClusterObjects;
  /** Returns a node by name. */
  node(name: string): NodeInfo | undefined;
  /** Returns the labels of a namespace; none where it is not known. */
  namespaceLabels(name: string): LabelSet;
  /** Returns the number of pods by node that meet all conditions. @param withTerminating whether those being deleted count */
  podCounts(conditions: readonly PodCondition[], withTerminating: boolean): CountsByNode;
  /** Terms of pods that are on nodes: required anti-affinity, required affinity, or preferred ones. */
  placedTerms(kind: 'requiredAnti' | 'required' | 'preferred'): Iterable<PlacedTerm>;
  /** Returns the values of a label, of the nodes that have all that are needed. */
  domains(label: string, needed: readonly string[]): ReadonlySet<string>;
  /** Returns the number of nodes that have an image. */
  nodesWithImage(name: string): number;
}
