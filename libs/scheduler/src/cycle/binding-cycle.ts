import type { Clock } from '@orch/runtime';
import type { PodEventRecorder } from '../events/event-recorder.js';
import type { Extenders } from '../extenders/extenders.js';
import type { PendingPod } from '../queue/pending-pod.js';
import type { PodPlacement } from './decision.js';
import { ExtensionTimer } from './extension-timer.js';
import type { SchedulerObserver } from './observer.js';
import type { SchedulerApi } from './scheduler-api.js';

/** Dependencies of a {@link BindingCycle}. */
interface BindingCycleOptions {
  readonly api: Pick<SchedulerApi, 'bind'>;
  /** Extenders, one of which may bind pods in place of the API. */
  readonly extenders?: Extenders;
  readonly events: PodEventRecorder;
  readonly observer: SchedulerObserver;
  readonly clock: Clock;
  /** Aborts when nothing is to be begun any more. */
  readonly signal: AbortSignal;
}

/** Binds pods to the nodes that were chosen for them, several at a time. */
export class BindingCycle {
  readonly #running = new Set<Promise<unknown>>();
  /** Number of pods that wait for what is reserved for them, such as volumes: that may take minutes. */
  #waiting = 0;
  /** Called when there is room again, if the scheduler waits for it. */
  #onRoom = (): void => undefined;
  readonly #timer: ExtensionTimer;

  constructor(private readonly options: BindingCycleOptions) {
    this.#timer = new ExtensionTimer(options.observer, options.clock);
  }

  /** Number of pods that are being bound. */
  get size(): number {
    return this.#running.size;
  }

  /** Resolves when fewer pods are being bound than `max`; those that wait for what is reserved do not count. */
  async room(max: number): Promise<void> {
    // Not by the bindings themselves: each would keep all that ever waited for it until its end.
    while (this.#running.size - this.#waiting >= max)
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
  }

  /** Resolves when nothing is being bound. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Binds a pod. Never rejects. @returns what kept it from that; what was reserved is given back then */
  run(pod: PendingPod, placement: PodPlacement, begun: number): Promise<unknown> {
    const running = this.#bind(pod, placement, begun).finally(() => {
      this.#running.delete(running);
      this.#onRoom();
    });
    this.#running.add(running);
    return running;
  }

  async #bind(pending: PendingPod, { pod, node, reservations }: PodPlacement, begun: number): Promise<unknown> {
    const { api, extenders, signal } = this.options;
    const profile = pod.pod.spec?.schedulerName ?? '';
    try {
      if (reservations.length > 0) await this.#timer.time('PreBind', profile, () => this.#preBind(reservations));
      signal.throwIfAborted();
      const isBound = await extenders?.bind(pod, node);
      if (!isBound) await this.#timer.time('Bind', profile, () => api.bind(pod, node));
    } catch (error) {
      for (const reservation of reservations) reservation.undo();
      return error;
    }
    this.#succeeded(pending, node, begun);
    return undefined;
  }

  async #preBind(reservations: PodPlacement['reservations']): Promise<void> {
    this.#waiting++;
    this.#onRoom();
    try {
      for (const reservation of reservations) await reservation.preBind(this.options.signal);
    } finally {
      this.#waiting--;
    }
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
