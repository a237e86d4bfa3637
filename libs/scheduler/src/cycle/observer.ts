import type { PluginStatus } from '@orch/scheduler-plugins';
import type { QueueName } from '../queue/scheduling-queue.js';

/** How an attempt to schedule a pod has ended. */
type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** Observes a scheduler, for metrics. Seconds are measured by the clock of the scheduler. */
export interface SchedulerObserver {
  /** An attempt has ended, binding included. */
  attempted(profile: string, result: AttemptResult, seconds: number): void;
  /** A node was chosen, or none could be. */
  decided(seconds: number): void;
  /** A pod was bound after so many attempts, this long after it was first ready. */
  scheduled(attempts: number, seconds: number): void;
  /** A pod entered a part of the queue. */
  queued(queue: QueueName, event: string): void;
  /** Pods were found that must go for another. */
  preempted(victims: number): void;
  /** Preemption was tried. */
  preemptionTried(): void;
  /** All plugins of an extension point were run for a pod. */
  extensionPointRan(point: string, status: PluginStatus, profile: string, seconds: number): void;
  /** A plugin was evaluated for a pod, so many times. */
  pluginEvaluated(plugin: string, point: string, profile: string, times: number): void;
  /** A plugin was run at an extension point; for some of the pods. */
  pluginRan(plugin: string, point: string, status: PluginStatus, seconds: number): void;
}
