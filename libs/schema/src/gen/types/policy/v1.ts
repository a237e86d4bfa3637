// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** How many pods of a set may be taken down at once on purpose. */
export interface PodDisruptionBudget {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: PodDisruptionBudgetSpec;
  /** The observed state; written by the system. */
  status?: PodDisruptionBudgetStatus;
}

/** A collection of PodDisruptionBudget objects. */
export interface PodDisruptionBudgetList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PodDisruptionBudget[];
}

/** Asks for a pod to be removed as far as disruption budgets allow. */
export interface Eviction {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** How to delete the pod when it may go. Unset: the defaults. */
  deleteOptions?: meta_v1.DeleteOptions;
}

/** How many pods of a set must stay. At most one of minAvailable and maxUnavailable is set. */
export interface PodDisruptionBudgetSpec {
  /** How many pods must remain available after an eviction, as a number or a percentage of all of them. */
  minAvailable?: number | string;
  /** Selects the objects concerned by their labels. Unset matches no pod, empty matches all in the namespace. */
  selector?: meta_v1.LabelSelector;
  /** How many pods may be unavailable after an eviction, as a number or a percentage of all of them. */
  maxUnavailable?: number | string;
  /** When running pods that are not ready may be evicted: IfHealthyBudget (as when unset) while enough others are healthy, AlwaysAllow always. */
  unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget";
}

/** How many disruptions are possible now. */
export interface PodDisruptionBudgetStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** Pods whose eviction was granted and that are not gone yet, with the time of the grant. */
  disruptedPods?: Record<string, string>;
  /** How many pods may be evicted now. */
  disruptionsAllowed?: number;
  /** Pods that are healthy now. */
  currentHealthy?: number;
  /** Pods that must be healthy at least. */
  desiredHealthy?: number;
  /** Pods that the budget counts with. */
  expectedPods?: number;
  /** Observed conditions. */
  conditions?: meta_v1.Condition[];
}
