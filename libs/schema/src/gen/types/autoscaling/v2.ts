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

export interface ContainerResourceMetricSource {
  name?: string;
  target?: MetricTarget;
  container?: string;
}

export interface ContainerResourceMetricStatus {
  name?: string;
  current?: MetricValueStatus;
  container?: string;
}

export interface CrossVersionObjectReference {
  kind?: string;
  name?: string;
  apiVersion?: string;
}

export interface ExternalMetricSource {
  metric?: MetricIdentifier;
  target?: MetricTarget;
}

export interface ExternalMetricStatus {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
}

export interface HPAScalingPolicy {
  type?: string;
  value?: number;
  periodSeconds?: number;
}

export interface HPAScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: HPAScalingPolicy[];
}

export interface HorizontalPodAutoscalerBehavior {
  scaleUp?: HPAScalingRules;
  scaleDown?: HPAScalingRules;
}

export interface HorizontalPodAutoscalerCondition {
  type?: string;
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef?: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: MetricSpec[];
  behavior?: HorizontalPodAutoscalerBehavior;
}

export interface HorizontalPodAutoscalerStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  lastScaleTime?: string;
  currentReplicas?: number;
  desiredReplicas?: number;
  currentMetrics?: MetricStatus[];
  /** Observed conditions. */
  conditions?: HorizontalPodAutoscalerCondition[];
}

export interface MetricIdentifier {
  name?: string;
  selector?: meta_v1.LabelSelector;
}

export interface MetricSpec {
  type?: string;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
}

export interface MetricStatus {
  type?: string;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
}

export interface MetricTarget {
  type?: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

export interface MetricValueStatus {
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

export interface ObjectMetricSource {
  describedObject?: CrossVersionObjectReference;
  target?: MetricTarget;
  metric?: MetricIdentifier;
}

export interface ObjectMetricStatus {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
  describedObject?: CrossVersionObjectReference;
}

export interface PodsMetricSource {
  metric?: MetricIdentifier;
  target?: MetricTarget;
}

export interface PodsMetricStatus {
  metric?: MetricIdentifier;
  current?: MetricValueStatus;
}

export interface ResourceMetricSource {
  name?: string;
  target?: MetricTarget;
}

export interface ResourceMetricStatus {
  name?: string;
  current?: MetricValueStatus;
}
