import type { Runtime } from '@orch/container-runtime';
import { containerPath, type EventSink, expand, podKeyOf } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import type { Container, Pod, Probe } from '@orch/schema/types/core/v1';
import { probeExec } from './exec-probe.js';
import { probeGrpc } from './grpc-probe.js';
import { httpAction, probeHttp } from './http-probe.js';
import { type ProbeOutcome, resolvePort } from './probe-outcome.js';
import { probeTcp } from './tcp-probe.js';

/** Purpose of a probe. */
export type ProbeType = 'Liveness' | 'Readiness' | 'Startup';

/** A container that is probed. */
export interface ProbeTarget {
  /** Purpose of the probe. */
  readonly type: ProbeType;
  /** The probe. */
  readonly probe: Probe;
  /** The container's pod. */
  readonly pod: Pod;
  /** The container. */
  readonly container: Container;
  /** Id of the container in the runtime. */
  readonly containerId: string;
  /** Address of the pod. */
  readonly podIP: string;
}

/** Attempts of a check that could not be carried out. */
const ATTEMPTS = 3;

/** Carries out checks, and reports those that fail. */
export class Prober {
  /** @param runtime runs commands in containers */
  constructor(
    private readonly runtime: Pick<Runtime, 'execSync'>,
    private readonly events: EventSink,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Checks a container. Returns undefined if the check could not be carried out: that says nothing of the container. */
  async probe(target: ProbeTarget): Promise<'success' | 'failure' | undefined> {
    const { type, pod, container } = target;
    const report = (reason: string, message: string) =>
      this.events.ofPod(pod, 'Warning', reason, message, containerPath('regular', container.name ?? ''));
    try {
      const { result, output } = await this.#tryAgain(target);
      if (result === 'failure') report('Unhealthy', `${type} probe failed: ${output}`);
      if (result === 'warning') report('ProbeWarning', `${type} probe warning: ${output}`);
      this.logger.v(4)?.info('a container was probed', { pod: podKeyOf(pod), container: container.name, type, result });
      return result === 'failure' ? 'failure' : 'success';
    } catch (error) {
      report('Unhealthy', `${type} probe errored: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async #tryAgain(target: ProbeTarget): Promise<ProbeOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#run(target);
      } catch (error) {
        if (attempt >= ATTEMPTS) throw error;
      }
    }
  }

  async #run({ probe, container, containerId, podIP }: ProbeTarget): Promise<ProbeOutcome> {
    const limits = { timeoutMs: (probe.timeoutSeconds ?? 1) * 1000 };
    const { exec, httpGet, tcpSocket, grpc } = probe;
    if (exec) return probeExec(this.runtime, containerId, staticCommand(exec.command ?? [], container), limits);
    if (httpGet) return probeHttp(httpAction(httpGet, container, podIP, 'kube-probe'), limits, this.clock);
    if (tcpSocket) return probeTcp(tcpSocket.host || podIP, resolvePort(tcpSocket.port, container), limits, this.clock);
    if (grpc) return probeGrpc(podIP, grpc.port ?? 0, grpc.service ?? '', limits, this.clock);
    throw new Error(`missing probe handler for ${container.name ?? ''}`);
  }
}

/** Replaces references to variables that the container declares with a value. */
function staticCommand(command: readonly string[], { env = [] }: Container): string[] {
  const values = new Map(env.map(({ name = '', value = '' }) => [name, value]));
  return command.map((text) => expand(text, (name) => values.get(name)));
}
