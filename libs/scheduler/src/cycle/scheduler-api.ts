import type { SharedInformer } from '@orch/runtime/informers';
import type { ClusterObjects } from '@orch/scheduler-plugins';
import type { Node, Pod, PodCondition } from '@orch/schema/types/core/v1';
import type { PodDisruptionBudget } from '@orch/schema/types/policy/v1';

/** Informers of a scheduler; objects with a namespace are indexed by `namespace`. */
export interface SchedulerInformers extends ClusterObjects {
  /** All pods, but those that have ended may be left out. */
  readonly pods: SharedInformer<Pod>;
  /** All nodes. */
  readonly nodes: SharedInformer<Node>;
  /** Budgets that victims of preemption are chosen by. */
  readonly podDisruptionBudgets: SharedInformer<PodDisruptionBudget>;
}

/** Names one pod, and not a later one of its name. */
export interface PodRef {
  /** Namespace of the pod. */
  readonly namespace: string;
  /** Name of the pod. */
  readonly name: string;
  /** Uid of the pod. */
  readonly uid: string;
}

/** Change of the status of a pod. */
export interface StatusPatch {
  /** Conditions to be set, by their type. */
  readonly conditions?: readonly PodCondition[];
  /** `null` removes it. */
  readonly nominatedNodeName?: string | null;
}

/** Writes of a scheduler. All throw where the write was refused or may not have been made. */
export interface SchedulerApi {
  /** Binds a pod to a node (`pods/binding`). */
  bind(pod: PodRef, node: string): Promise<void>;
  /** Merges into the status of a pod (strategic merge patch of `pods/status`). One that is gone is no error. */
  patchStatus(pod: PodRef, status: StatusPatch): Promise<void>;
  /** Deletes a pod gracefully. One that is gone is no error. */
  deletePod(pod: PodRef): Promise<void>;
}
