import { formatTime } from '@orch/machinery';
import { type PinningRefusal, PREEMPTED, type PressureRefusal, victimsFor } from '@orch/node-resources';
import {
  admissionRefusals,
  type EventSink,
  isCriticalPod,
  isPreemptable,
  isStaticPod,
  nodeAmounts,
  type PodAnnotations,
  uidOf,
} from '@orch/pod-environment';
import type { Clock } from '@orch/runtime';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import type { PodVerdict, PodWorkers } from './pod-workers.js';

/** Dependencies of {@link PodAdmission}. */
export interface PodAdmissionSettings {
  /** Returns the node as the API has it, or as it would be registered. */
  readonly node: () => Node;
  /** Returns why the node refuses a pod while it is short of something; undefined if it does not. */
  readonly pressureRefusal?: (pod: Pod) => PressureRefusal | undefined;
  /** Gives a pod CPUs and memory for itself, or returns why it cannot have them. */
  readonly pinningRefusal?: (pod: Pod) => PinningRefusal | undefined;
  /** Annotations by which pods are recognized. */
  readonly annotations: PodAnnotations;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Returns the workers of the pods, of which some may have to end. */
  readonly workers: () => Pick<PodWorkers, 'list' | 'evict'>;
  /** Clock of conditions. */
  readonly clock: Clock;
}

/** Decides whether pods may run on the node. */
export class PodAdmission {
  constructor(private readonly settings: PodAdmissionSettings) {}

  /** Returns the verdict on a pod that the node cannot run; undefined if it can. @param others pods that may run */
  admit(pod: Pod, others: readonly Pod[]): PodVerdict | undefined {
    const { node, annotations, pressureRefusal, pinningRefusal, events } = this.settings;
    const [object, isStatic] = [node(), isStaticPod(pod, annotations)];
    // One that runs already, before the agent was started anew, is for eviction to rank.
    const short = pod.status?.phase === 'Running' ? undefined : pressureRefusal?.(pod);
    const refusals = admissionRefusals(pod, { node: object, allocatable: nodeAmounts(object), others, isStatic });
    const [refused = undefined] = short ? [short] : refusals;
    const hasRoom = !refused || (!short && this.#makesRoom(pod, refusals));
    const refusal = hasRoom ? pinningRefusal?.(pod) : refused;
    if (!refusal) return undefined;
    events.ofPod(pod, 'Warning', refusal.reason, refusal.message);
    return { reason: refusal.reason, message: `Pod was rejected: ${refusal.message}` };
  }

  /** Ends pods that are less important than a critical one, where that is all that it lacks. */
  #makesRoom(pod: Pod, refusals: ReturnType<typeof admissionRefusals>): boolean {
    const { annotations, events, workers } = this.settings;
    const missing = refusals.flatMap(({ missing: lack }) => (lack ? [[lack.resource, lack.amount] as const] : []));
    if (missing.length < refusals.length || !isCriticalPod(pod, annotations)) return false;
    const candidates = [...workers().list('syncing')].map((work) => work.pod);
    const lesser = candidates.filter((other) => isPreemptable(pod, other, annotations));
    const victims = victimsFor(lesser, new Map(missing));
    for (const victim of victims ?? []) {
      events.ofPod(victim, 'Warning', 'Preempting', PREEMPTED);
      workers().evict(uidOf(victim), this.#preempted());
    }
    return victims !== undefined;
  }

  #preempted(): PodVerdict {
    const condition = {
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' },
      message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
      lastTransitionTime: formatTime(this.settings.clock.wall()),
    };
    return { reason: 'Preempting', message: PREEMPTED, conditions: [condition] };
  }
}
