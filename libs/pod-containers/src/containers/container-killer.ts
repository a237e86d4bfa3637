import type { Runtime } from '@orch/container-runtime';
import { containerPath, containersOf, type EventSink, type PodContainer, podKeyOf } from '@orch/pod-environment';
import { type Clock, type Logger, sleep } from '@orch/runtime';
import type { LifecycleHandler, Pod } from '@orch/schema/types/core/v1';
import type { KillReason } from './actions.js';
import type { LifecycleHooks } from './hooks.js';
import type { ObservedContainer } from './observed-pod.js';

/** Least time between the hook before the end and the kill, seconds. */
const LEAST_GRACE = 2;

/** A container to be killed. */
interface KillRequest {
  /** The container's pod; of one that no source has any more, what its labels say. */
  readonly pod: Pod;
  /** Its present run. */
  readonly run: ObservedContainer;
  /** Reason. */
  readonly reason: KillReason;
  /** Sentence of the event; default that it is stopped. */
  readonly message?: string;
  /** Grace period instead of that of the pod, seconds. */
  readonly graceOverride?: number;
  /** Address of the pod. */
  readonly podIP: string;
}

/** Dependencies of {@link ContainerKiller}. */
interface ContainerKillerSettings {
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'stopContainer'>;
  /** Runs hooks. */
  readonly hooks: Pick<LifecycleHooks, 'run'>;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Clock of grace periods. */
  readonly clock: Clock;
  /** Logs hooks that fail. */
  readonly logger: Logger;
}

/** Ends containers: hook, signal, and the kill when the grace period is over. */
export class ContainerKiller {
  constructor(private readonly settings: ContainerKillerSettings) {}

  /** Kills a container. Resolves once it has ended. @throws RuntimeError */
  async kill({ pod, run, reason, message, graceOverride, podIP }: KillRequest): Promise<void> {
    const [kind, container] = specOf(pod, run.name);
    let grace = graceOverride ?? graceOf(pod, container, reason);
    const text = message ?? `Stopping container ${run.name}`;
    this.settings.events.ofPod(pod, 'Normal', 'Killing', text, containerPath(kind, run.name));
    const preStop = container.lifecycle?.preStop;
    if (preStop && grace > 0) grace -= await this.#preStop(pod, container, run, { handler: preStop, podIP, grace });
    // Who orders another grace period means it; else there is time left for the signal.
    const least = graceOverride === undefined ? LEAST_GRACE : 0;
    await this.settings.runtime.stopContainer(run.id, Math.max(grace, least));
  }

  /** Runs the hook before the end, for as long as the grace period lasts. Returns the seconds that it took. */
  async #preStop(
    pod: Pod,
    container: PodContainer,
    run: ObservedContainer,
    { handler, podIP, grace }: { handler: LifecycleHandler; podIP: string; grace: number },
  ): Promise<number> {
    const { hooks, clock, events, logger } = this.settings;
    const began = clock.now();
    const over = new AbortController();
    const timeoutMs = grace * 1000;
    try {
      const hook = hooks.run({ handler, container, containerId: run.id, podIP, timeoutMs });
      await Promise.race([hook, sleep(clock, timeoutMs, over.signal)]);
    } catch (error) {
      logger.warn('the hook before the end of a container failed', {
        pod: podKeyOf(pod),
        container: run.name,
        err: String(error),
      });
      events.ofPod(pod, 'Warning', 'FailedPreStopHook', 'PreStopHook failed', containerPath('regular', run.name));
    } finally {
      over.abort();
    }
    return Math.ceil((clock.now() - began) / 1000);
  }
}

function specOf(pod: Pod, name: string): ReturnType<typeof findSpec> & object {
  return findSpec(pod, name) ?? ['regular', { name }];
}

function findSpec(pod: Pod, name: string) {
  for (const found of containersOf(pod)) if (found[1].name === name) return found;
  return undefined;
}

/** Returns the grace period of a container, seconds: of the deletion, of the failed probe, of the pod. */
function graceOf({ metadata, spec }: Pod, container: PodContainer, reason: KillReason): number {
  const { deletionGracePeriodSeconds: deletion } = metadata ?? {};
  if (deletion !== undefined) return Number(deletion);
  const probe =
    reason === 'liveness' ? container.livenessProbe : reason === 'startup' ? container.startupProbe : undefined;
  return Number(probe?.terminationGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? LEAST_GRACE);
}
