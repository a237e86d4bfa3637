// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Starts jobs on a schedule. */
export interface CronJob {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CronJob[];
}

/** Runs pods until a number of them have completed. */
export interface Job {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Job[];
}

/** When a cron job starts jobs, and what they are. */
export interface CronJobSpec {
  /** Times in cron form: minute, hour, day of month, month, day of week; "@hourly" and its like also work. */
  schedule?: string;
  /** Name of the time zone that the schedule is read in, such as "Europe/Paris". Unset: that of the controller. */
  timeZone?: string;
  /** Seconds after its time that a job may still start late; later it is skipped. Unset: no deadline. */
  startingDeadlineSeconds?: number | bigint;
  /** While a job of it still runs: Allow (the default) starts another, Forbid skips the new one, Replace ends the old one. */
  concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  /** Starts no further jobs; running ones go on. Default: false. */
  suspend?: boolean;
  /** What the jobs are made from. */
  jobTemplate?: JobTemplateSpec;
  /** How many successful jobs are kept. Default: 3. */
  successfulJobsHistoryLimit?: number;
  /** How many failed jobs are kept. Default: 1. */
  failedJobsHistoryLimit?: number;
}

/** What a cron job has started. */
export interface CronJobStatus {
  /** The jobs that run now. */
  active?: core_v1.ObjectReference[];
  /** The last time that a job was started for. */
  lastScheduleTime?: string;
  /** When a job last completed successfully. */
  lastSuccessfulTime?: string;
}

/** One aspect of the state of a job. */
export interface JobCondition {
  /** What the condition is about: Complete, Failed or Suspended. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition was last checked. */
  lastProbeTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** What a job runs, how often and how failures count. */
export interface JobSpec {
  /** How many pods may run at once. Default: 1; 0 pauses the job. */
  parallelism?: number;
  /** How many pods must succeed. Unset with parallelism set: one success ends the job. Fixed, except that an indexed job may change it together with parallelism. */
  completions?: number;
  /** Seconds from its start after which the job is ended as failed. Time while suspended does not count. Unset: no limit. */
  activeDeadlineSeconds?: number | bigint;
  /** What the failures of pods mean. Only with restartPolicy Never; cannot be changed. Unset: each counts towards backoffLimit. */
  podFailurePolicy?: PodFailurePolicy;
  /** How many retries there are before the job counts as failed. Default: 6. */
  backoffLimit?: number;
  /** Selects the objects concerned by their labels. Normally made by the server; cannot be changed. */
  selector?: meta_v1.LabelSelector;
  /** The selector and the labels of the pods are the user's own affair: the server makes none. Unset: it makes them. */
  manualSelector?: boolean;
  /** What new pods are made from. restartPolicy must be OnFailure or Never. Cannot be changed but for scheduling hints while suspended before the start. */
  template?: core_v1.PodTemplateSpec;
  /** Seconds after its end when the job is deleted by itself; 0 deletes it at once. Unset: it is kept. */
  ttlSecondsAfterFinished?: number;
  /** NonIndexed (the default): any successes count. Indexed: each index from 0 to completions-1 must succeed once. Cannot be changed. */
  completionMode?: "Indexed" | "NonIndexed";
  /** Runs no pods, and ends those that run. Set back to false, the job starts or resumes. Default: false. */
  suspend?: boolean;
}

/** How far a job has come. */
export interface JobStatus {
  /** Observed conditions. */
  conditions?: JobCondition[];
  /** When the job was taken up; anew after each suspension. */
  startTime?: string;
  /** When the job completed; only set on success. */
  completionTime?: string;
  /** Pods that are pending or running. */
  active?: number;
  /** Pods that have succeeded. */
  succeeded?: number;
  /** Pods that have failed. */
  failed?: number;
  /** The indexes that have succeeded, as numbers and ranges such as "1,3-5,7". Only of indexed jobs. */
  completedIndexes?: string;
  /** Pods that have ended and are not yet part of the counts. */
  uncountedTerminatedPods?: UncountedTerminatedPods;
  /** Pods that are ready. */
  ready?: number;
}

/** What jobs are made from. */
export interface JobTemplateSpec {
  /** Labels and annotations for the jobs. */
  metadata?: meta_v1.ObjectMeta;
  /** The spec of the jobs. */
  spec?: JobSpec;
}

/** What the failures of a job's pods mean. */
export interface PodFailurePolicy {
  /** Tried in order; the first that matches decides. When none does, the failure counts towards backoffLimit. At most 20. */
  rules?: PodFailurePolicyRule[];
}

/** Matches failures by the exit codes of containers. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** The container whose exit code is looked at. Unset: any container of the pod, init containers too. */
  containerName?: string;
  /** In: some exit code is among the values. NotIn: some exit code other than 0 is not among them. */
  operator?: "In" | "NotIn";
  /** Exit codes, ascending and without repeats, 1 to 255 of them; 0 must not stand with In. */
  values?: number[];
}

/** Matches failures by a condition of the pod. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /** The type of condition that the pod must have. */
  type?: string;
  /** The status that the condition must have: True, False or Unknown. Default: True. */
  status?: string;
}

/** One rule on failures. Exactly one of onExitCodes and onPodConditions must be set. */
export interface PodFailurePolicyRule {
  /** FailJob ends the job as failed, Ignore replaces the pod without counting, Count counts towards backoffLimit. */
  action?: "Count" | "FailJob" | "Ignore";
  /** Matches by exit codes. */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  /** Matches when any one of these patterns does. At most 20. */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

/** Uids of pods that have ended and are not yet counted. */
export interface UncountedTerminatedPods {
  /** Uids of pods that succeeded. */
  succeeded?: string[];
  /** Uids of pods that failed. */
  failed?: string[];
}
