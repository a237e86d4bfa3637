import { isNotFound, type SandboxConfig } from '@orch/container-runtime';
import type { ContainerKind, PodContainer, ReadyVolume } from '@orch/pod-environment';
import type { Container, EphemeralContainer, Pod, Secret } from '@orch/schema/types/core/v1';
import { actionsOf, type PodActions } from './actions.js';
import { ContainerStarter } from './container-starter.js';
import { sandboxIPs } from './observation.js';
import { latestRun, type ObservedPod } from './observed-pod.js';
import type { PodRunnerSettings } from './pod-runner-settings.js';
import { messageOf, StartError } from './start-error.js';

/** Inputs of a synchronization beside the pod. */
interface RunInputs {
  /** The pod as the runtime has it. */
  readonly observed: ObservedPod;
  /** Volumes of the pod by name. */
  readonly volumes: ReadonlyMap<string, ReadyVolume>;
  /** Secrets with credentials of registries. */
  readonly secrets: readonly Secret[];
  /** Aborts when the pod is to end: nothing is started any more. */
  readonly signal: AbortSignal;
}

/** Outcome of a synchronization. */
interface RunOutcome {
  /** Reasons for which containers could not be started, by their names; those that were started are not among them. */
  readonly failures: ReadonlyMap<string, StartError>;
  /** Names of the containers that were started. */
  readonly started: readonly string[];
  /** Failure that kept it from all containers. */
  readonly failure?: unknown;
}

/** Brings the containers of pods into the state that the pods ask for. */
export class PodRunner {
  readonly #starter: ContainerStarter;

  constructor(private readonly settings: PodRunnerSettings) {
    this.#starter = new ContainerStarter(settings);
  }

  /** Carries out what is to be done about a pod that should run. Failures of single containers are in the outcome. */
  async run(pod: Pod, inputs: RunInputs): Promise<RunOutcome> {
    const { observed } = inputs;
    const actions = actionsOf(pod, observed, this.settings.failedProbe);
    const { events } = this.settings;
    if (actions.createSandbox && actions.sandboxId !== undefined)
      events.ofPod(pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    try {
      await this.#kill(pod, observed, actions);
      if (actions.createSandbox) await this.#removeInit(pod, observed);
      const { config, id, podIPs } = await this.#sandbox(pod, observed, actions);
      if (id === undefined) return { failures: new Map(), started: [] };
      return await this.#startAll(pod, inputs, actions, { config, id, podIPs });
    } catch (failure) {
      return { failures: new Map(), started: [], failure };
    }
  }

  /** Kills all containers of a pod, and then stops its sandboxes. @throws the first failure, after all were tried */
  async stop(pod: Pod, observed: ObservedPod, graceOverride?: number): Promise<void> {
    const podIP = observed.sandboxes[0]?.ips[0] ?? '';
    const override = graceOverride === undefined ? {} : { graceOverride };
    const running = observed.containers.filter(({ state }) => state === 'running' || state === 'unknown');
    const kills = running.map((run) => this.settings.killer.kill({ pod, run, reason: 'ending', podIP, ...override }));
    throwFirst(await Promise.allSettled(kills));
    const { runtime } = this.settings;
    throwFirst(await Promise.allSettled(observed.sandboxes.map(({ id }) => runtime.stopSandbox(id))));
  }

  async #kill(pod: Pod, observed: ObservedPod, { killPod, kill }: PodActions): Promise<void> {
    if (killPod) return this.stop(pod, observed);
    const podIP = observed.sandboxes[0]?.ips[0] ?? '';
    for (const { run, reason, message } of kill) await this.settings.killer.kill({ pod, run, reason, message, podIP });
  }

  /** Init containers run again in a new sandbox: the runs of before would say that they have succeeded. */
  async #removeInit(pod: Pod, observed: ObservedPod): Promise<void> {
    const names = new Set((pod.spec?.initContainers ?? []).map(({ name }) => name));
    for (const { id, name } of observed.containers)
      if (names.has(name)) await this.settings.runtime.removeContainer(id);
  }

  async #sandbox(pod: Pod, observed: ObservedPod, { createSandbox, attempt, sandboxId, killPod }: PodActions) {
    const config = await this.settings.sandboxes.of(pod, attempt, createSandbox);
    if (!createSandbox) {
      const id = killPod ? undefined : sandboxId;
      return { config, id, podIPs: observed.sandboxes[0]?.ips ?? [] };
    }
    const { runtime, sandboxes, events } = this.settings;
    try {
      const runtimeHandler = await sandboxes.handlerOf(pod);
      const id = await runtime.runSandbox({ ...config, ...(runtimeHandler !== '' && { runtimeHandler }) });
      return { config, id, podIPs: sandboxIPs(await runtime.sandboxStatus(id), this.settings.nodeIPs) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      events.ofPod(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${message}`);
      throw error;
    }
  }

  async #startAll(
    pod: Pod,
    { observed, volumes, secrets, signal }: RunInputs,
    { startEphemeral, startInit, start }: PodActions,
    sandbox: { config: SandboxConfig; id: string; podIPs: readonly string[] },
  ): Promise<RunOutcome> {
    const failures = new Map<string, StartError>();
    const started: string[] = [];
    const begin = async (kind: ContainerKind, container: PodContainer) => {
      const target = targetOf(container, observed);
      const request = { pod, kind, container, observed, volumes, secrets, signal, sandbox, ...(target && { target }) };
      const failure = await this.#starter.start(request).catch(asStartError);
      // What was interrupted is no failure of the container.
      if (signal.aborted) return;
      if (failure) failures.set(container.name ?? '', failure);
      else started.push(container.name ?? '');
    };
    for (const container of startEphemeral) await begin('ephemeral', container);
    if (startInit) await begin('init', startInit);
    for (const container of start) await begin('regular', container);
    return { failures, started };
  }
}

/** Returns the id of the container whose processes an ephemeral one sees. */
function targetOf(container: Container | EphemeralContainer, observed: ObservedPod): string | undefined {
  const name = 'targetContainerName' in container ? container.targetContainerName : undefined;
  return name ? latestRun(observed, name)?.id : undefined;
}

/** Failures of the runtime that no step has named are those of making the container. */
function asStartError(error: unknown): StartError {
  return error instanceof StartError ? error : new StartError('CreateContainerError', messageOf(error));
}

function throwFirst(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  for (const outcome of outcomes)
    if (outcome.status === 'rejected' && !isNotFound(outcome.reason)) throw outcome.reason;
}
