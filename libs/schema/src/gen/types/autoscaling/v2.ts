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

/** A resource of one container in each pod, such as its CPU. */
export interface ContainerResourceMetricSource {
  /** Name of the resource, such as "cpu" or "memory". */
  name?: string;
  /** The value to aim at. */
  target?: MetricTarget;
  /** Name of the container. */
  container?: string;
}

/** The observed use of a resource by one container in each pod. */
export interface ContainerResourceMetricStatus {
  /** Name of the resource. */
  name?: string;
  /** The observed value. */
  current?: MetricValueStatus;
  /** Name of the container. */
  container?: string;
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

/** A metric of something outside of the cluster's objects, such as the length of a queue. */
export interface ExternalMetricSource {
  /** Which metric. */
  metric?: MetricIdentifier;
  /** The value to aim at: in all, or as an average per pod. */
  target?: MetricTarget;
}

/** The observed value of an external metric. */
export interface ExternalMetricStatus {
  /** Which metric. */
  metric?: MetricIdentifier;
  /** The observed value. */
  current?: MetricValueStatus;
}

/** How far one step may go within a span of time. */
export interface HPAScalingPolicy {
  /** Pods or Percent: the unit of the value. */
  type?: string;
  /** The largest change within the period; above 0. */
  value?: number;
  /** Length of the period in seconds, 1 to 1800. */
  periodSeconds?: number;
}

/** How fast scaling in one direction may go. */
export interface HPAScalingRules {
  /** Seconds of past results that are considered, so as not to flap; 0 to 3600. Default: 0 for up, 300 for down. */
  stabilizationWindowSeconds?: number;
  /** Max (the default) takes the policy with the greatest change, Min the least, Disabled switches this direction off. */
  selectPolicy?: string;
  /** The limits on the speed; at least one. Default: up 4 pods or 100% in 15 seconds, down 100% in 15 seconds. */
  policies?: HPAScalingPolicy[];
}

/** How fast scaling may go, by direction. */
export interface HorizontalPodAutoscalerBehavior {
  /** Rules for adding replicas. */
  scaleUp?: HPAScalingRules;
  /** Rules for removing replicas. */
  scaleDown?: HPAScalingRules;
}

/** One aspect of the state of an autoscaler. */
export interface HorizontalPodAutoscalerCondition {
  /** AbleToScale, ScalingActive or ScalingLimited. */
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

/** What is scaled, within which limits and by what. */
export interface HorizontalPodAutoscalerSpec {
  /** The workload to scale; it must have a scale subresource. */
  scaleTargetRef?: CrossVersionObjectReference;
  /** Lowest number of replicas. Default: 1. 0 needs an object or external metric and an alpha feature. */
  minReplicas?: number;
  /** Highest number of replicas; not below minReplicas. */
  maxReplicas?: number;
  /** The metrics to go by; the one that asks for the most replicas wins. Unset: 80% average CPU use. */
  metrics?: MetricSpec[];
  /** How fast scaling may go. Unset: the defaults for both directions. */
  behavior?: HorizontalPodAutoscalerBehavior;
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
  /** The metrics as last read. */
  currentMetrics?: MetricStatus[];
  /** Observed conditions. */
  conditions?: HorizontalPodAutoscalerCondition[];
}

/** Names a metric. */
export interface MetricIdentifier {
  /** Name of the metric. */
  name?: string;
  /** Narrows the metric down by its labels. Unset: only the name counts. */
  selector?: meta_v1.LabelSelector;
}

/** One metric and its target. The field that the type names must be set. */
export interface MetricSpec {
  /** Resource, ContainerResource, Pods, Object or External. */
  type?: string;
  /** A metric of one object. */
  object?: ObjectMetricSource;
  /** A metric of each pod, averaged. */
  pods?: PodsMetricSource;
  /** A resource that the pods request. */
  resource?: ResourceMetricSource;
  /** A resource that one container of each pod requests. */
  containerResource?: ContainerResourceMetricSource;
  /** A metric from outside. */
  external?: ExternalMetricSource;
}

/** One metric as last read. The field that the type names is set. */
export interface MetricStatus {
  /** Resource, ContainerResource, Pods, Object or External. */
  type?: string;
  /** A metric of one object. */
  object?: ObjectMetricStatus;
  /** A metric of each pod, averaged. */
  pods?: PodsMetricStatus;
  /** A resource that the pods request. */
  resource?: ResourceMetricStatus;
  /** A resource that one container of each pod requests. */
  containerResource?: ContainerResourceMetricStatus;
  /** A metric from outside. */
  external?: ExternalMetricStatus;
}

/** The value that a metric should have. */
export interface MetricTarget {
  /** Utilization, Value or AverageValue: which field holds the target. */
  type?: string;
  /** The value of the metric as a whole. */
  value?: string;
  /** The value averaged over all pods. */
  averageValue?: string;
  /** Average use over all pods, in percent of what they request. Only for resources. */
  averageUtilization?: number;
}

/** The value that a metric has. */
export interface MetricValueStatus {
  /** The value of the metric as a whole. */
  value?: string;
  /** The value averaged over all pods. */
  averageValue?: string;
  /** Average use over all pods, in percent of what they request. Only for resources. */
  averageUtilization?: number;
}

/** A metric of one object, such as the requests that reach an ingress. */
export interface ObjectMetricSource {
  /** The object that the metric is of. */
  describedObject?: CrossVersionObjectReference;
  /** The value to aim at. */
  target?: MetricTarget;
  /** Which metric. */
  metric?: MetricIdentifier;
}

/** The observed value of a metric of one object. */
export interface ObjectMetricStatus {
  /** Which metric. */
  metric?: MetricIdentifier;
  /** The observed value. */
  current?: MetricValueStatus;
  /** The object that the metric is of. */
  describedObject?: CrossVersionObjectReference;
}

/** A metric of each pod, averaged before it is compared with the target. */
export interface PodsMetricSource {
  /** Which metric. */
  metric?: MetricIdentifier;
  /** The value to aim at; only an average value. */
  target?: MetricTarget;
}

/** The observed value of a metric of the pods. */
export interface PodsMetricStatus {
  /** Which metric. */
  metric?: MetricIdentifier;
  /** The observed value. */
  current?: MetricValueStatus;
}

/** A resource that the pods request, such as CPU. */
export interface ResourceMetricSource {
  /** Name of the resource, such as "cpu" or "memory". */
  name?: string;
  /** The value to aim at. */
  target?: MetricTarget;
}

/** The observed use of a resource by the pods. */
export interface ResourceMetricStatus {
  /** Name of the resource. */
  name?: string;
  /** The observed value. */
  current?: MetricValueStatus;
}
