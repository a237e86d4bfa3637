// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Changes the number of replicas of a workload by observed metrics. */
export interface HorizontalPodAutoscaler {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: HorizontalPodAutoscaler[];
}

/** Names an object in the same namespace. */
export interface CrossVersionObjectReference {
  /** Kind of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
  /** Group-version of the object. */
  apiVersion?: string;
}

/** What is scaled, within which limits and by what. */
export interface HorizontalPodAutoscalerSpec {
  /** The workload to scale; it must have a scale subresource. */
  scaleTargetRef?: CrossVersionObjectReference;
  /** Lowest number of replicas. Default: 1. 0 needs an object or external metric and an alpha feature. */
  minReplicas?: number;
  /** Highest number of replicas; not below minReplicas. */
  maxReplicas?: number;
  /** Average CPU use to aim at over all pods, in percent of what they request. Unset: 80. */
  targetCPUUtilizationPercentage?: number;
}

/** What an autoscaler has observed and decided. */
export interface HorizontalPodAutoscalerStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** When the number of replicas was last changed. */
  lastScaleTime?: string;
  /** The number of replicas that was last observed. */
  currentReplicas?: number;
  /** The number of replicas that was last worked out. */
  desiredReplicas?: number;
  /** Average CPU use over all pods, in percent of what they request. */
  currentCPUUtilizationPercentage?: number;
}

/** The number of replicas of a workload, asked for and observed. */
export interface Scale {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ScaleSpec;
  /** The observed state; written by the system. */
  status?: ScaleStatus;
}

/** The scale asked for. */
export interface ScaleSpec {
  /** The number of replicas. Unset: 0. */
  replicas?: number;
}

/** The scale observed. */
export interface ScaleStatus {
  /** The number of replicas that exist. */
  replicas?: number;
  /** Selector of the pods, in the text form that list calls take. */
  selector?: string;
}
