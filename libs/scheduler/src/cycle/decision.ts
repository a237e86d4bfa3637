import type { PluginReservation, PodInfo } from '@orch/scheduler-plugins';
import type { Candidate } from '../preemption/candidates.js';

/** The node that was chosen for a pod. */
export interface PodPlacement {
  /** The pod. */
  readonly pod: PodInfo;
  /** Name of the node. */
  readonly node: string;
  /** Reservations of plugins, the last first. */
  readonly reservations: readonly PluginReservation[];
}

/** Why no node could be chosen. */
export interface Unschedulable {
  /** Message of condition and event. */
  readonly message: string;
  /** Names of the plugins that have rejected the pod on some node. */
  readonly rejectedBy: ReadonlySet<string>;
  /** Pods that have to go so that it can be scheduled. */
  readonly candidate?: Candidate;
  /** Whether the pod keeps the node that it is nominated for. */
  readonly keepsNomination: boolean;
}

/** A failure that kept the scheduler from deciding, or from binding. */
export interface Failed {
  /** The failure. */
  readonly error: unknown;
}

/** Result of the decision about one pod. */
export type SchedulingDecision = PodPlacement | Unschedulable | Failed;
