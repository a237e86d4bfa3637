import type { Names } from '@orch/machinery';
import { type Clock, systemClock } from '@orch/runtime';
import { type BackoffSettings, Slices } from '@orch/runtime/work';
import { helpfulEvents, observedProfile, type Profile } from '@orch/scheduler-plugins';
import { ClusterState } from '../cluster/cluster-state.js';
import type { PodEventRecorder } from '../events/event-recorder.js';
import type { Extenders } from '../extenders/extenders.js';
import { Nominations } from '../queue/nominations.js';
import type { PendingPod } from '../queue/pending-pod.js';
import { type QueueName, SchedulingQueue } from '../queue/scheduling-queue.js';
import { BindingCycle } from './binding-cycle.js';
import { ClusterChanges } from './cluster-changes.js';
import { FailureHandler } from './failure-handler.js';
import { followCluster, POD_DELETE } from './follow-cluster.js';
import type { SchedulerObserver } from './observer.js';
import type { SchedulerApi, SchedulerInformers } from './scheduler-api.js';
import { SchedulingCycle } from './scheduling-cycle.js';

/** Dependencies and settings of a {@link Scheduler}. */
export interface SchedulerOptions {
  /** Profiles; those that share the queue have one sort plugin. At least one. */
  readonly profiles: readonly Profile[];
  /** Informers, all of which have synced. */
  readonly informers: SchedulerInformers;
  /** Names of the installation. */
  readonly names: Names;
  /** Writes to the API. */
  readonly api: SchedulerApi;
  /** Records events. */
  readonly events: PodEventRecorder;
  /** Counts and measures. */
  readonly observer: SchedulerObserver;
  /** First and longest wait after a failed attempt. */
  readonly backoff: BackoffSettings;
  /** Milliseconds after which a pod is tried again though nothing has changed. Default: 5 minutes. */
  readonly flushMs?: number;
  /** Pods that are being bound at a time, at most; beyond that no other is scheduled. */
  readonly maxBindings: number;
  /** Called with what keeps a pod from being scheduled and is no decision; it is tried again. */
  readonly onError: (error: unknown, pod: string) => void;
  /** Services that take part in decisions. Default: none. */
  readonly extenders?: Extenders;
  /** Default: the machine's time. */
  readonly clock?: Clock;
  /** 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** Default of {@link SchedulerOptions.flushMs}. */
const FLUSH_MS = 300_000;

/** Chooses nodes for pods, one pod after another, and binds them. Runs for one term of leadership. */
export class Scheduler {
  readonly #state: ClusterState;
  readonly #queue: SchedulingQueue;
  readonly #nominations = new Nominations(() => this.#queue.move(POD_DELETE));
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #cycle: SchedulingCycle;
  readonly #failures: FailureHandler;
  readonly #binding: BindingCycle;
  readonly #stopped = new AbortController();
  readonly #clock: Clock;
  /** An object that cannot be followed must not keep others from being followed. */
  readonly #changes = new ClusterChanges((error) => this.options.onError(error, ''));
  #wake = (): void => undefined;
  #unfollow = (): void => undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly options: SchedulerOptions) {
    const { informers, observer, clock = systemClock, random = Math.random } = options;
    this.#clock = clock;
    const observation = { clock, random: Math.random, ran: observer.pluginRan };
    this.#profiles = new Map(options.profiles.map((each) => [each.name, observedProfile(each, observation)]));
    this.#state = new ClusterState(informers, options.names);
    this.#queue = this.#newQueue();
    const shared = { ...options, clock, random, view: this.#state, nominations: this.#nominations };
    this.#cycle = new SchedulingCycle(shared);
    this.#failures = new FailureHandler({ ...shared, queue: this.#queue, observer });
    this.#binding = new BindingCycle({ ...shared, signal: this.#stopped.signal });
  }

  /** Number of pods in each part of the queue. */
  get pending(): Readonly<Record<QueueName, number>> {
    return this.#queue.sizes;
  }

  /** Whether no pod is ready, being decided about, or written about. */
  get isIdle(): boolean {
    return !this.#changes.pause && !this.#queue.hasReady && !this.#queue.hasAttempts;
  }

  /** Number of nodes and pods that are known. */
  get sizes(): ClusterState['sizes'] {
    return this.#state.sizes;
  }

  /** Number of pods that are being bound. */
  get bindings(): number {
    return this.#binding.size;
  }

  /** Numbers of pods that wait for a change, by plugin that has rejected them and by profile. */
  get rejected(): Iterable<{ readonly plugin: string; readonly profile: string; readonly pods: number }> {
    const counts = new Map<string, { plugin: string; profile: string; pods: number }>();
    for (const { info, rejectedBy } of this.#queue.rejected) {
      const profile = info.pod.spec?.schedulerName ?? '';
      for (const plugin of rejectedBy) {
        const count = counts.get(`${plugin}/${profile}`) ?? { plugin, profile, pods: 0 };
        counts.set(`${plugin}/${profile}`, { ...count, pods: count.pods + 1 });
      }
    }
    return counts.values();
  }

  /** Begins to follow the cluster, and to schedule. */
  start(): void {
    this.#unfollow = followCluster(this.options.informers, {
      state: this.#state,
      queue: this.#queue,
      nominations: this.#nominations,
      isOurs: (name) => this.#profiles.has(name),
      apply: (change) => this.#changes.add(change),
    });
    this.#running = this.#run();
  }

  /** Ends. Resolves when the decision and the writes under way have ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#unfollow();
    this.#changes.clear();
    this.#wake();
    await this.#running;
    await Promise.all([this.#binding.ended(), this.#failures.ended()]);
    // Last: pods that were written about meanwhile are queued again, and a timer would keep all of this for good.
    this.#queue.stop();
  }

  #newQueue(): SchedulingQueue {
    const { profiles, observer, backoff, flushMs = FLUSH_MS } = this.options;
    const [first] = profiles;
    if (!first) throw new Error('a scheduler has at least one profile');
    return new SchedulingQueue({
      compare: first.queueSort.compare,
      gatedBy: (pod) => {
        const plugins = this.#profiles.get(pod.pod.spec?.schedulerName ?? '')?.preEnqueue ?? [];
        return plugins.find((plugin) => plugin.preEnqueue(pod) !== undefined)?.name;
      },
      helps: helpfulEvents(profiles),
      namespaceLabels: (name) => this.#state.namespaceLabels(name),
      onReady: () => this.#wake(),
      backoff,
      flushMs,
      onEntered: (queue, event) => observer.queued(queue, event),
      clock: this.#clock,
    });
  }

  async #run(): Promise<void> {
    const slices = new Slices();
    while (!this.#stopped.signal.aborted) {
      await this.#binding.room(this.options.maxBindings);
      // A decision is made on what is known, and not on a part of it.
      await this.#changes.caughtUp();
      const pod = this.#stopped.signal.aborted ? undefined : this.#queue.pop();
      if (pod) await this.#attempt(pod);
      else await this.#untilReady();
      const pause = slices.between();
      if (pause) await pause;
    }
  }

  #untilReady(): Promise<void> | undefined {
    if (this.#stopped.signal.aborted || this.#queue.hasReady) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #attempt(pod: PendingPod): Promise<void> {
    const profile = this.#profiles.get(pod.info.pod.spec?.schedulerName ?? '');
    if (!profile || this.#state.nodeOf(pod.info.uid) !== undefined) {
      this.#queue.done(pod);
      return;
    }
    const begun = this.#clock.now();
    const decision = await this.#decide(pod, profile);
    if ('node' in decision) {
      void this.#binding.run(pod, decision, begun).then((error) => {
        if (error === undefined) this.#queue.done(pod);
        else this.#giveUp(pod, error, begun);
      });
    } else this.#failures.handle(pod, decision, begun);
  }

  async #decide(pod: PendingPod, profile: Profile) {
    this.#changes.hold();
    try {
      const decision = await this.#cycle.decide(pod.info, profile);
      if ('node' in decision) {
        this.#state.assume(decision.pod, decision.node);
        this.#nominations.placed(decision.pod.uid, decision.node);
      }
      return decision;
    } finally {
      this.#changes.release();
    }
  }

  /** Frees what a pod that could not be bound has held, and has it tried again. */
  #giveUp(pod: PendingPod, error: unknown, begun: number): void {
    this.#changes.add(() => {
      const { uid } = pod.info;
      if (this.#state.isAssumed(uid)) {
        this.#state.forget(uid);
        this.#queue.move(POD_DELETE);
      }
      // What the end of this scheduler has kept from being bound is not the pod's failure: the next one takes it up.
      if (!this.#stopped.signal.aborted) this.#failures.handle(pod, { error }, begun);
    });
  }
}
