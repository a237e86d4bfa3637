import type { Runtime } from '@orch/container-runtime';
import type { PodContainer } from '@orch/pod-environment';
import type { Clock } from '@orch/runtime';
import type { LifecycleHandler } from '@orch/schema/types/core/v1';
import { httpAction, probeHttp } from '../probes/http-probe.js';

/** Time limit of a hook over HTTP, ms; of a command there is none but the pod's end. */
const HTTP_MS = 30_000;

/** A hook of a container. */
interface HookRequest {
  /** Action of the hook. */
  readonly handler: LifecycleHandler;
  /** The container. */
  readonly container: PodContainer;
  /** Id of the container in the runtime. */
  readonly containerId: string;
  /** Address of the pod. */
  readonly podIP: string;
  /** Milliseconds until the hook is given up; 0 for no limit. */
  readonly timeoutMs: number;
}

/** Runs hooks of containers. */
export class LifecycleHooks {
  constructor(
    private readonly runtime: Pick<Runtime, 'execSync'>,
    private readonly clock: Clock,
  ) {}

  /** Runs a hook to its end. @throws Error, whose message may have output of the container */
  async run({ handler, container, containerId, podIP, timeoutMs }: HookRequest): Promise<void> {
    const { exec, httpGet } = handler;
    if (exec) {
      const command = exec.command ?? [];
      const { exitCode, stdout, stderr } = await this.runtime.execSync({ containerId, command, timeout: timeoutMs });
      if (exitCode === 0) return;
      const output = Buffer.concat([stdout, stderr]).toString();
      throw new Error(
        `Exec lifecycle hook (${command.join(' ')}) for Container "${container.name ?? ''}" failed - error: command exited with ${exitCode}, message: ${JSON.stringify(output)}`,
      );
    }
    if (!httpGet) throw new Error(`Invalid handler of container ${container.name ?? ''}`);
    const limits = { timeoutMs: timeoutMs > 0 ? Math.min(timeoutMs, HTTP_MS) : HTTP_MS };
    const action = httpAction(httpGet, container, podIP, 'kube-lifecycle');
    const { result, output } = await probeHttp(action, limits, this.clock);
    if (result === 'failure') throw new Error(`HTTP lifecycle hook (${httpGet.path ?? ''}) failed - ${output}`);
  }
}
