// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** How many pods of a set may be taken down at once on purpose. */
export interface PodDisruptionBudget {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
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
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PodDisruptionBudget[];
}

/** Asks for a pod to be removed as far as disruption budgets allow. */
export interface Eviction {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  deleteOptions?: meta_v1.DeleteOptions;
}

export interface PodDisruptionBudgetSpec {
  minAvailable?: number | string;
  /** Selects the objects concerned by their labels. */
  selector?: meta_v1.LabelSelector;
  maxUnavailable?: number | string;
  unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget";
}

export interface PodDisruptionBudgetStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  disruptedPods?: Record<string, string>;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
  /** Observed conditions. */
  conditions?: meta_v1.Condition[];
}
