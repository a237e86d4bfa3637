// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject } from '@orch/machinery';
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A frozen copy of state that a controller can go back to. */
export interface ControllerRevision {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  data?: JsonObject;
  revision?: number | bigint;
}

/** A collection of ControllerRevision objects. */
export interface ControllerRevisionList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ControllerRevision[];
}

/** Runs a copy of a pod on every matching node. */
export interface DaemonSet {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: DaemonSetSpec;
  /** The observed state; written by the system. */
  status?: DaemonSetStatus;
}

/** A collection of DaemonSet objects. */
export interface DaemonSetList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: DaemonSet[];
}

/** Declares how many copies of a pod run and rolls changes out step by step. */
export interface Deployment {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: DeploymentSpec;
  /** The observed state; written by the system. */
  status?: DeploymentStatus;
}

/** A collection of Deployment objects. */
export interface DeploymentList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Deployment[];
}

/** Keeps a number of identical pods running. */
export interface ReplicaSet {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ReplicaSetSpec;
  /** The observed state; written by the system. */
  status?: ReplicaSetStatus;
}

/** A collection of ReplicaSet objects. */
export interface ReplicaSetList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ReplicaSet[];
}

/** Runs pods with a stable identity and stable storage each. */
export interface StatefulSet {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: StatefulSetSpec;
  /** The observed state; written by the system. */
  status?: StatefulSetStatus;
}

/** A collection of StatefulSet objects. */
export interface StatefulSetList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: StatefulSet[];
}

export interface DaemonSetCondition {
  type?: string;
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface DaemonSetSpec {
  /** Selects the objects concerned by their labels. */
  selector?: meta_v1.LabelSelector;
  /** What new pods are made from. */
  template?: core_v1.PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
  /** Seconds that a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** How many old revisions are kept to go back to. */
  revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  currentNumberScheduled?: number;
  numberMisscheduled?: number;
  desiredNumberScheduled?: number;
  numberReady?: number;
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  /** Observed conditions. */
  conditions?: DaemonSetCondition[];
}

export interface DaemonSetUpdateStrategy {
  type?: "OnDelete" | "RollingUpdate";
  rollingUpdate?: RollingUpdateDaemonSet;
}

export interface DeploymentCondition {
  type?: string;
  status?: string;
  lastUpdateTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface DeploymentSpec {
  /** The number of replicas. */
  replicas?: number;
  /** Selects the objects concerned by their labels. */
  selector?: meta_v1.LabelSelector;
  /** What new pods are made from. */
  template?: core_v1.PodTemplateSpec;
  strategy?: DeploymentStrategy;
  /** Seconds that a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** How many old revisions are kept to go back to. */
  revisionHistoryLimit?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  /** Observed conditions. */
  conditions?: DeploymentCondition[];
  collisionCount?: number;
}

export interface DeploymentStrategy {
  type?: "Recreate" | "RollingUpdate";
  rollingUpdate?: RollingUpdateDeployment;
}

export interface ReplicaSetCondition {
  type?: string;
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface ReplicaSetSpec {
  /** The number of replicas. */
  replicas?: number;
  /** Seconds that a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** Selects the objects concerned by their labels. */
  selector?: meta_v1.LabelSelector;
  /** What new pods are made from. */
  template?: core_v1.PodTemplateSpec;
}

export interface ReplicaSetStatus {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** Observed conditions. */
  conditions?: ReplicaSetCondition[];
}

export interface RollingUpdateDaemonSet {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface RollingUpdateDeployment {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface RollingUpdateStatefulSetStrategy {
  partition?: number;
  maxUnavailable?: number | string;
}

export interface StatefulSetCondition {
  type?: string;
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface StatefulSetOrdinals {
  start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: string;
  whenScaled?: string;
}

export interface StatefulSetSpec {
  /** The number of replicas. */
  replicas?: number;
  /** Selects the objects concerned by their labels. */
  selector?: meta_v1.LabelSelector;
  /** What new pods are made from. */
  template?: core_v1.PodTemplateSpec;
  volumeClaimTemplates?: core_v1.PersistentVolumeClaim[];
  serviceName?: string;
  podManagementPolicy?: "OrderedReady" | "Parallel";
  updateStrategy?: StatefulSetUpdateStrategy;
  /** How many old revisions are kept to go back to. */
  revisionHistoryLimit?: number;
  /** Seconds that a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  ordinals?: StatefulSetOrdinals;
}

export interface StatefulSetStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  replicas?: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  /** Observed conditions. */
  conditions?: StatefulSetCondition[];
  availableReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  type?: "OnDelete" | "RollingUpdate";
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
