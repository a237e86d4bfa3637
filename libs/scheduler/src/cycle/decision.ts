import type { PodInfo, Reservation } from '@orch/scheduler-plugins';
import type { Candidate } from '../preemption/candidates.js';

/** The node that was chosen for a pod. */
export interface Placement {
  readonly pod: PodInfo;
  /** Name of the node. */
  readonly node: string;
  /** What plugins have reserved, the last first. */
  readonly reservations: readonly Reservation[];
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

/** What kept the scheduler from deciding, or from binding. */
export interface Failed {
  readonly error: unknown;
}

/** Result of the decision about one pod. */
export type Decision = Placement | Unschedulable | Failed;
