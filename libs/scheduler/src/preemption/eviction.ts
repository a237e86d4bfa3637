import type { Clock } from '@orch/runtime';
import type { PodInfo } from '@orch/scheduler-plugins';
import { changedCondition } from '../cycle/pod-condition.js';
import type { SchedulerApi } from '../cycle/scheduler-api.js';
import type { EventRecorder } from '../events/event-recorder.js';
import type { Nominations } from '../queue/nominations.js';
import type { Candidate } from './candidates.js';

/** Dependencies of an {@link Eviction}. */
interface EvictionOptions {
  readonly api: Pick<SchedulerApi, 'patchStatus' | 'deletePod'>;
  readonly events: EventRecorder;
  readonly nominations: Nominations;
  readonly onError: (error: unknown, pod: string) => void;
  readonly clock: Clock;
}

/** Makes room for a pod: deletes the victims, and takes the node from less important pods that are nominated for it. */
export class Eviction {
  constructor(private readonly options: EvictionOptions) {}

  /** @throws Error where a victim could not be deleted */
  async run(pod: PodInfo, { node, victims }: Candidate): Promise<void> {
    await Promise.all(victims.map((victim) => this.#delete(victim, pod, node)));
    const { nominations } = this.options;
    const lower = [...(nominations.on(node) ?? [])].filter(({ priority }) => priority < pod.priority);
    await Promise.all(lower.map((other) => this.#clear(other)));
  }

  async #delete(victim: PodInfo, { pod }: PodInfo, node: string): Promise<void> {
    const { api, events, clock } = this.options;
    const profile = pod.spec?.schedulerName ?? '';
    const wanted = {
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' },
      message: `${profile}: preempting to accommodate a higher priority pod`,
    };
    const condition = changedCondition(victim.pod, wanted, clock.wall());
    if (condition) await api.patchStatus(victim, { conditions: [condition] });
    await api.deletePod(victim);
    const note = `Preempted by a pod on node ${node}`;
    events.record(
      victim.pod,
      { type: 'Normal', reason: 'Preempted', action: 'Preempting', note, related: pod },
      profile,
    );
  }

  async #clear(other: PodInfo): Promise<void> {
    const { api, nominations, onError } = this.options;
    nominations.delete(other.uid);
    try {
      await api.patchStatus(other, { nominatedNodeName: null });
    } catch (error) {
      onError(error, other.key);
    }
  }
}
