// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Starts jobs on a schedule. */
export interface CronJob {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: CronJobSpec;
  /** The observed state; written by the system. */
  status?: CronJobStatus;
}

/** A collection of CronJob objects. */
export interface CronJobList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CronJob[];
}

/** Runs pods until a number of them have completed. */
export interface Job {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: JobSpec;
  /** The observed state; written by the system. */
  status?: JobStatus;
}

/** A collection of Job objects. */
export interface JobList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Job[];
}

export interface CronJobSpec {
  schedule?: string;
  timeZone?: string;
  startingDeadlineSeconds?: number | bigint;
  concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  suspend?: boolean;
  jobTemplate?: JobTemplateSpec;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  active?: core_v1.ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

export interface JobCondition {
  type?: string;
  status?: string;
  lastProbeTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number | bigint;
  podFailurePolicy?: PodFailurePolicy;
  backoffLimit?: number;
  /** Selects the objects concerned by their labels. */
  selector?: meta_v1.LabelSelector;
  manualSelector?: boolean;
  /** What new pods are made from. */
  template?: core_v1.PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
  completionMode?: "Indexed" | "NonIndexed";
  suspend?: boolean;
}

export interface JobStatus {
  /** Observed conditions. */
  conditions?: JobCondition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  completedIndexes?: string;
  uncountedTerminatedPods?: UncountedTerminatedPods;
  ready?: number;
}

export interface JobTemplateSpec {
  metadata?: meta_v1.ObjectMeta;
  spec?: JobSpec;
}

export interface PodFailurePolicy {
  rules?: PodFailurePolicyRule[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string;
  operator?: "In" | "NotIn";
  values?: number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  type?: string;
  status?: string;
}

export interface PodFailurePolicyRule {
  action?: "Count" | "FailJob" | "Ignore";
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

export interface UncountedTerminatedPods {
  succeeded?: string[];
  failed?: string[];
}
