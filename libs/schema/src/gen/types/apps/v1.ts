// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject } from '@orch/machinery';
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A frozen copy of state that a controller can go back to. */
export interface ControllerRevision {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The state as it was. Cannot be changed. */
  data?: JsonObject;
  /** Number of the revision; higher is newer. */
  revision?: number | bigint;
}

/** A collection of ControllerRevision objects. */
export interface ControllerRevisionList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ControllerRevision[];
}

/** Runs a copy of a pod on every matching node. */
export interface DaemonSet {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: DaemonSet[];
}

/** Declares how many copies of a pod run and rolls changes out step by step. */
export interface Deployment {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Deployment[];
}

/** Keeps a number of identical pods running. */
export interface ReplicaSet {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ReplicaSet[];
}

/** Runs pods with a stable identity and stable storage each. */
export interface StatefulSet {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: StatefulSet[];
}

/** One aspect of the state of a daemon set. */
export interface DaemonSetCondition {
  /** What the condition is about. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** What a daemon set runs and how it is updated. */
export interface DaemonSetSpec {
  /** Selects the objects concerned by their labels. It must match the labels of the template and cannot be changed. */
  selector?: meta_v1.LabelSelector;
  /** What new pods are made from. It runs on every node that its node selector and affinity allow; restartPolicy must be Always. */
  template?: core_v1.PodTemplateSpec;
  /** How existing pods are replaced when the template changes. */
  updateStrategy?: DaemonSetUpdateStrategy;
  /** Seconds that a new pod must be ready before it counts as available. Default: 0. */
  minReadySeconds?: number;
  /** How many old revisions are kept to go back to. Default: 10. */
  revisionHistoryLimit?: number;
}

/** How far a daemon set has come. */
export interface DaemonSetStatus {
  /** Nodes that should run the pod and run at least one. */
  currentNumberScheduled?: number;
  /** Nodes that run the pod although they should not. */
  numberMisscheduled?: number;
  /** Nodes that should run the pod, whether they do or not. */
  desiredNumberScheduled?: number;
  /** Nodes that should run the pod and have one that is ready. */
  numberReady?: number;
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** Nodes that run a pod of the current template. */
  updatedNumberScheduled?: number;
  /** Nodes that should run the pod and have one that has been ready for minReadySeconds. */
  numberAvailable?: number;
  /** Nodes that should run the pod and have none that is available. */
  numberUnavailable?: number;
  /** How often the name of a new revision was taken already; goes into the next name. */
  collisionCount?: number;
  /** Observed conditions. */
  conditions?: DaemonSetCondition[];
}

/** How the pods of a daemon set are replaced. */
export interface DaemonSetUpdateStrategy {
  /** RollingUpdate (the default) replaces pods step by step; OnDelete waits until each is deleted by hand. */
  type?: "OnDelete" | "RollingUpdate";
  /** Limits of the rolling update. Only used when the type is RollingUpdate. */
  rollingUpdate?: RollingUpdateDaemonSet;
}

/** One aspect of the state of a deployment. */
export interface DeploymentCondition {
  /** Available, Progressing or ReplicaFailure. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition was last written. */
  lastUpdateTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** What a deployment runs and how it is updated. */
export interface DeploymentSpec {
  /** The number of replicas. Default: 1; 0 is allowed. */
  replicas?: number;
  /** Selects the objects concerned by their labels. It must match the labels of the template and cannot be changed. */
  selector?: meta_v1.LabelSelector;
  /** What new pods are made from. A change of it starts a rollout; restartPolicy must be Always. */
  template?: core_v1.PodTemplateSpec;
  /** How old pods give way to new ones. */
  strategy?: DeploymentStrategy;
  /** Seconds that a new pod must be ready before it counts as available. Default: 0. */
  minReadySeconds?: number;
  /** How many old revisions are kept to go back to. Default: 10. */
  revisionHistoryLimit?: number;
  /** Holds rollouts back: changes of the template wait until it is false again. */
  paused?: boolean;
  /** Seconds that a rollout may go without progress before it is reported as failed. Must exceed minReadySeconds. Default: 600. */
  progressDeadlineSeconds?: number;
}

/** How far a deployment has come. */
export interface DeploymentStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** Pods that the selector matches and that have not ended. */
  replicas?: number;
  /** Pods of the current template that have not ended. */
  updatedReplicas?: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods that have been ready for minReadySeconds. */
  availableReplicas?: number;
  /** Pods that are still missing for all to be available, whether they run or have yet to be made. */
  unavailableReplicas?: number;
  /** Observed conditions. */
  conditions?: DeploymentCondition[];
  /** How often the name of a new replica set was taken already; goes into the next name. */
  collisionCount?: number;
}

/** How the pods of a deployment are replaced. */
export interface DeploymentStrategy {
  /** RollingUpdate (the default) replaces pods step by step; Recreate ends all old pods before new ones start. */
  type?: "Recreate" | "RollingUpdate";
  /** Limits of the rolling update. Only allowed when the type is RollingUpdate. */
  rollingUpdate?: RollingUpdateDeployment;
}

/** One aspect of the state of a replica set. */
export interface ReplicaSetCondition {
  /** What the condition is about, such as ReplicaFailure. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** Which pods a replica set keeps and how many. */
export interface ReplicaSetSpec {
  /** The number of replicas. Default: 1; 0 is allowed. */
  replicas?: number;
  /** Seconds that a new pod must be ready before it counts as available. Default: 0. */
  minReadySeconds?: number;
  /** Selects the objects concerned by their labels. It must match the labels of the template and cannot be changed. */
  selector?: meta_v1.LabelSelector;
  /** What new pods are made from. Pods that exist already keep what they were made from. */
  template?: core_v1.PodTemplateSpec;
}

/** How far a replica set has come. */
export interface ReplicaSetStatus {
  /** Pods that were observed last. */
  replicas?: number;
  /** Pods that have every label of the template. */
  fullyLabeledReplicas?: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods that have been ready for minReadySeconds. */
  availableReplicas?: number;
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** Observed conditions. */
  conditions?: ReplicaSetCondition[];
}

/** Limits of a rolling update. Exactly one of the two must be above 0. */
export interface RollingUpdateDaemonSet {
  /** How many nodes may be without an available pod, as a number or a percentage of all nodes concerned, rounded up. Default: 1. */
  maxUnavailable?: number | string;
  /** How many nodes may run old and new pod at once, as a number or a percentage of all nodes concerned, rounded up. Default: 0. */
  maxSurge?: number | string;
}

/** Limits of a rolling update. Not both may be 0. */
export interface RollingUpdateDeployment {
  /** How many of the wanted pods may be unavailable, as a number or a percentage, rounded down. Default: 25%. */
  maxUnavailable?: number | string;
  /** How many pods above the wanted number may exist, as a number or a percentage, rounded up. Default: 25%. */
  maxSurge?: number | string;
}

/** Limits of a rolling update. */
export interface RollingUpdateStatefulSetStrategy {
  /** Only pods with this ordinal or a higher one are updated. Default: 0, all pods. */
  partition?: number;
  /** How many pods may be unavailable at once, as a number or a percentage, rounded up. Unset: 1. Alpha. */
  maxUnavailable?: number | string;
}

/** One aspect of the state of a stateful set. */
export interface StatefulSetCondition {
  /** What the condition is about. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** How the pods of a stateful set are numbered. */
export interface StatefulSetOrdinals {
  /** Number of the first pod; the others follow one by one. Default: 0. */
  start?: number;
}

/** What becomes of claims made from volumeClaimTemplates. Each: Retain or Delete. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /** On deletion of the stateful set: Retain (the default) keeps the claims, Delete removes them. */
  whenDeleted?: string;
  /** On scaling down: Retain (the default) keeps the claims of the removed pods, Delete removes them. */
  whenScaled?: string;
}

/** What a stateful set runs and how it is updated. */
export interface StatefulSetSpec {
  /** The number of replicas. Default: 1; 0 is allowed. */
  replicas?: number;
  /** Selects the objects concerned by their labels. It must match the labels of the template and cannot be changed. */
  selector?: meta_v1.LabelSelector;
  /** What new pods are made from. Each pod is named after the set and its ordinal, such as "web-0"; restartPolicy must be Always. */
  template?: core_v1.PodTemplateSpec;
  /** Claims that every pod gets of its own; they win over volumes of the same name in the template. Cannot be changed. */
  volumeClaimTemplates?: core_v1.PersistentVolumeClaim[];
  /** Name of the service, usually headless, that gives the pods their network names. Cannot be changed. */
  serviceName?: string;
  /** OrderedReady (the default) starts pods one after another and stops them in reverse; Parallel all at once. Cannot be changed. */
  podManagementPolicy?: "OrderedReady" | "Parallel";
  /** How existing pods are replaced when the template changes. */
  updateStrategy?: StatefulSetUpdateStrategy;
  /** How many old revisions are kept to go back to. Default: 10. */
  revisionHistoryLimit?: number;
  /** Seconds that a new pod must be ready before it counts as available. Default: 0. */
  minReadySeconds?: number;
  /** What becomes of the pods' claims when the set is deleted or scaled down. Unset: they are kept. */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  /** How the pods are numbered. Unset: from 0. */
  ordinals?: StatefulSetOrdinals;
}

/** How far a stateful set has come. */
export interface StatefulSetStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** Pods that exist. */
  replicas?: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods of the current revision. */
  currentReplicas?: number;
  /** Pods of the update revision. */
  updatedReplicas?: number;
  /** The revision that pods which are not updated yet are made from. */
  currentRevision?: string;
  /** The revision that updated pods are made from. */
  updateRevision?: string;
  /** How often the name of a new revision was taken already; goes into the next name. */
  collisionCount?: number;
  /** Observed conditions. */
  conditions?: StatefulSetCondition[];
  /** Pods that have been ready for minReadySeconds. */
  availableReplicas?: number;
}

/** How the pods of a stateful set are replaced. */
export interface StatefulSetUpdateStrategy {
  /** RollingUpdate (the default) replaces pods from the highest ordinal down; OnDelete waits until each is deleted by hand. */
  type?: "OnDelete" | "RollingUpdate";
  /** Limits of the rolling update. Only allowed when the type is RollingUpdate. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
