import type { SandboxConfig } from '@orch/container-runtime';
import {
  type ContainerKind,
  containerPath,
  type EventType,
  type PodContainer,
  type ReadyVolume,
  uidOf,
} from '@orch/pod-environment';
import { aborted } from '@orch/runtime';
import type { Pod, Secret } from '@orch/schema/types/core/v1';
import { nextLogNumber } from './container-configs.js';
import { specHash } from './labels.js';
import { latestRun, type ObservedContainer, type ObservedPod } from './observed-pod.js';
import type { PodRunnerSettings } from './pod-runner-settings.js';
import { messageOf, StartError, type StartFailure } from './start-error.js';

/** A container to be started. */
interface StartRequest {
  /** The container's pod. */
  readonly pod: Pod;
  /** List of the spec that the container is in. */
  readonly kind: ContainerKind;
  /** The container. */
  readonly container: PodContainer;
  /** The pod as the runtime has it. */
  readonly observed: ObservedPod;
  /** Volumes of the pod by name. */
  readonly volumes: ReadonlyMap<string, ReadyVolume>;
  /** Secrets with credentials of registries. */
  readonly secrets: readonly Secret[];
  /** Aborts when the pod is to end. */
  readonly signal: AbortSignal;
  /** Sandbox that it is started in. */
  readonly sandbox: { readonly config: SandboxConfig; readonly id: string; readonly podIPs: readonly string[] };
  /** Id of the container whose processes it sees. */
  readonly target?: string;
}

/** Starts containers: wait, image, settings, start, hook. */
export class ContainerStarter {
  constructor(private readonly settings: PodRunnerSettings) {}

  /** Starts a container. @throws StartError */
  async start(request: StartRequest): Promise<undefined> {
    const { pod, kind, container, secrets, sandbox, signal } = request;
    signal.throwIfAborted();
    this.#checkBackoff(request);
    const image = await this.#step(request, 'ErrImagePull', () =>
      this.settings.images.ensure({ pod, container, kind, secrets, signal, sandbox: sandbox.config }),
    );
    const unused = await this.#step(request, 'CreateContainerError', () => this.#removeUnused(request));
    const config = await this.#step(request, 'CreateContainerConfigError', async () => {
      const { volumes, target } = request;
      const restartCount = unused?.restartCount ?? (await this.#nextCount(request));
      const { podIPs } = sandbox;
      const more = { restartCount, podIPs, volumes, image, ...(target && { target }) };
      return this.settings.configs.of({ pod, container, sandbox: sandbox.config, ...more });
    });
    signal.throwIfAborted();
    const { runtime } = this.settings;
    const name = container.name ?? '';
    const id = await this.#step(request, 'CreateContainerError', () =>
      runtime.createContainer({ sandboxId: sandbox.id, config, sandboxConfig: sandbox.config }),
    );
    this.#report(request, 'Normal', 'Created', `Created container ${name}`);
    await this.#step(request, 'RunContainerError', () => runtime.startContainer(id));
    this.#report(request, 'Normal', 'Started', `Started container ${name}`);
    await this.#postStart(request, id);
    return undefined;
  }

  /**
   * Removes a run that was made and never started, as the agent ended in between: its start may still be under way, and two
   * would run. The next one takes its place.
   */
  async #removeUnused({ observed, container }: StartRequest): Promise<ObservedContainer | undefined> {
    const run = latestRun(observed, container.name ?? '');
    if (run?.state !== 'created') return undefined;
    await this.settings.runtime.removeContainer(run.id);
    return run;
  }

  /** Returns the number of runs before the next one. */
  async #nextCount({ observed, container: { name = '' }, sandbox }: StartRequest): Promise<number> {
    const run = latestRun(observed, name);
    return run ? run.restartCount + 1 : nextLogNumber(sandbox.config.logDirectory, name);
  }

  /** A container that has ended is not started again at once, but for the first time. */
  #checkBackoff(request: StartRequest): void {
    const { pod, container, observed } = request;
    const { name = '' } = container;
    const ended = observed.containers.find((run) => run.name === name && run.state === 'exited');
    if (!ended) return;
    const { backoffs } = this.settings;
    const { name: podName = '', namespace = '' } = pod.metadata ?? {};
    const full = `${podName}_${namespace}(${uidOf(pod)})`;
    const key = `${full} ${name} ${specHash(container)}`;
    const wait = backoffs.waiting(key, ended.finishedAt);
    if (wait === undefined) {
      backoffs.next(key, ended.finishedAt);
      return;
    }
    this.#report(request, 'Warning', 'BackOff', `Back-off restarting failed container ${name} in pod ${full}`);
    const message = `back-off ${durationText(wait)} restarting failed container=${name} pod=${full}`;
    throw new StartError('CrashLoopBackOff', message, backoffs.left(key, ended.finishedAt));
  }

  /** Carries out a step; its failure is reported, and becomes the reason for which the container waits. */
  async #step<T>(request: StartRequest, reason: StartFailure, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // A pod that is to end has nothing more to report.
      if (request.signal.aborted) throw error;
      const known = error instanceof StartError ? error : new StartError(reason, messageOf(error));
      // The puller has given the details already.
      this.#report(
        request,
        'Warning',
        'Failed',
        `Error: ${error instanceof StartError ? known.reason : known.message}`,
      );
      throw known;
    }
  }

  async #postStart(request: StartRequest, containerId: string): Promise<void> {
    const { pod, container, sandbox } = request;
    const handler = container.lifecycle?.postStart;
    if (!handler) return;
    const podIP = sandbox.podIPs[0] ?? '';
    try {
      const hook = this.settings.hooks.run({ handler, container, containerId, podIP, timeoutMs: 0 });
      await Promise.race([hook, aborted(request.signal)]);
    } catch (error) {
      // The message may have output of the container.
      this.#report(request, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
      const run = { ...STARTED, id: containerId, name: container.name ?? '' };
      await this.settings.killer.kill({ pod, run, reason: 'ending', message: 'FailedPostStartHook', podIP });
      throw new StartError('PostStartHookError', messageOf(error));
    }
  }

  #report({ pod, kind, container }: StartRequest, type: EventType, reason: string, message: string): void {
    this.settings.events.ofPod(pod, type, reason, message, containerPath(kind, container.name ?? ''));
  }
}

/** A run that the runtime was not asked about yet. */
const STARTED: ObservedContainer = {
  ...{ id: '', fullId: '', sandboxId: '', name: '', hash: '', restartCount: 0, state: 'running' },
  ...{ image: '', imageId: '', createdAt: 0, exitCode: 0, reason: '', message: '' },
};

/** Writes a wait as the reference does: `10s`, `1m20s`, `5m0s`. */
function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
