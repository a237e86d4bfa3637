import type { Clock } from '@orch/runtime';
import type { EventRecorder } from '../events/event-recorder.js';
import type { PendingPod } from '../queue/pending-pod.js';
import type { Placement } from './decision.js';
import type { SchedulerObserver } from './observer.js';
import type { SchedulerApi } from './scheduler-api.js';

/** Dependencies of a {@link BindingCycle}. */
export interface BindingCycleOptions {
  readonly api: Pick<SchedulerApi, 'bind'>;
  readonly events: EventRecorder;
  readonly observer: SchedulerObserver;
  readonly clock: Clock;
  /** Aborts when nothing is to be begun any more. */
  readonly signal: AbortSignal;
}

/** Binds pods to the nodes that were chosen for them, several at a time. */
export class BindingCycle {
  readonly #running = new Set<Promise<unknown>>();

  constructor(private readonly options: BindingCycleOptions) {}

  /** Resolves when fewer pods are being bound than `max`. */
  async room(max: number): Promise<void> {
    while (this.#running.size >= max) await Promise.race(this.#running);
  }

  /** Resolves when nothing is being bound. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Binds a pod. Never rejects. @returns what kept it from that; what was reserved is given back then */
  run(pod: PendingPod, placement: Placement, begun: number): Promise<unknown> {
    const running = this.#bind(pod, placement, begun).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  async #bind(pending: PendingPod, { pod, node, reservations }: Placement, begun: number): Promise<unknown> {
    const { api, signal } = this.options;
    try {
      for (const reservation of reservations) await reservation.preBind(signal);
      signal.throwIfAborted();
      await api.bind(pod, node);
    } catch (error) {
      for (const reservation of reservations) reservation.undo();
      return error;
    }
    this.#succeeded(pending, node, begun);
    return undefined;
  }

  #succeeded({ info, attempts, firstReadyAt }: PendingPod, node: string, begun: number): void {
    const { events, observer, clock } = this.options;
    const { pod, namespace, name } = info;
    const profile = pod.spec?.schedulerName ?? '';
    const now = clock.now();
    observer.attempted(profile, 'scheduled', (now - begun) / 1_000);
    observer.scheduled(attempts, (now - (firstReadyAt ?? begun)) / 1_000);
    const note = `Successfully assigned ${namespace}/${name} to ${node}`;
    events.record(pod, { type: 'Normal', reason: 'Scheduled', action: 'Binding', note }, profile);
  }
}
