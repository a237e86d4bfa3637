// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Changes the number of replicas of a workload by observed metrics. */
export interface HorizontalPodAutoscaler {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: HorizontalPodAutoscalerSpec;
  /** The observed state; written by the system. */
  status?: HorizontalPodAutoscalerStatus;
}

/** A collection of HorizontalPodAutoscaler objects. */
export interface HorizontalPodAutoscalerList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: HorizontalPodAutoscaler[];
}

export interface CrossVersionObjectReference {
  kind?: string;
  name?: string;
  apiVersion?: string;
}

export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef?: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas?: number;
  targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  lastScaleTime?: string;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentCPUUtilizationPercentage?: number;
}

/** The number of replicas of a workload, asked for and observed. */
export interface Scale {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ScaleSpec;
  /** The observed state; written by the system. */
  status?: ScaleStatus;
}

export interface ScaleSpec {
  /** The number of replicas. */
  replicas?: number;
}

export interface ScaleStatus {
  replicas?: number;
  selector?: string;
}
