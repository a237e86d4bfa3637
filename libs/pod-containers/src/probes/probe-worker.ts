import { parseTime } from '@orch/machinery';
import { uidOf } from '@orch/pod-environment';
import type { Clock } from '@orch/runtime';
import type { Container, ContainerStatus, Pod, PodStatus, Probe } from '@orch/schema/types/core/v1';
import type { ProbeResult, ProbeResults } from './probe-results.js';
import type { Prober, ProbeType } from './prober.js';

/** Dependencies and subject of a {@link ProbeWorker}. */
interface ProbeWorkerSettings {
  /** Purpose of the probe. */
  readonly type: ProbeType;
  /** The probe. */
  readonly probe: Probe;
  /** The container. */
  readonly container: Container;
  /** Returns the pod as it is desired now. */
  readonly pod: () => Pod;
  /** Returns the status of the pod; undefined before it has one. */
  readonly status: () => PodStatus | undefined;
  /** Carries out checks. */
  readonly prober: Pick<Prober, 'probe'>;
  /** Results of the probes of this type. */
  readonly results: ProbeResults;
  /** Milliseconds until the first check. */
  readonly delayMs: number;
  /** Clock of the period. */
  readonly clock: Clock;
}

const INITIAL: Readonly<Record<ProbeType, ProbeResult>> = {
  Readiness: 'failure',
  Liveness: 'success',
  Startup: 'unknown',
};

/** Checks one container periodically, whichever run of it there is. */
export class ProbeWorker {
  readonly #periodMs: number;
  #containerId = '';
  #last: 'success' | 'failure' | undefined;
  /** Number of results in a row that were the same. */
  #run = 0;
  /** Whether nothing is checked until there is another container. */
  #onHold = false;
  #isBusy = false;
  #isTriggered = false;
  #next = 0;
  #cancel: () => void;
  #stopped = false;
  /** How often the container was checked, by result. */
  readonly counts = { successful: 0, failed: 0 };

  constructor(private readonly settings: ProbeWorkerSettings) {
    this.#periodMs = (settings.probe.periodSeconds ?? 10) * 1000;
    this.#next = settings.clock.now() + settings.delayMs;
    this.#cancel = settings.clock.after(settings.delayMs, () => void this.#tick());
  }

  /** Whether it has ended. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Checks at once, and not at the end of the period. */
  trigger(): void {
    if (this.#isBusy) this.#isTriggered = true;
    else if (!this.#stopped && this.settings.clock.now() < this.#next) {
      this.#cancel();
      void this.#tick();
    }
  }

  /** Ends the checks. */
  stop(): void {
    this.#stopped = true;
    this.#cancel();
    this.settings.results.remove(this.#containerId);
  }

  async #tick(): Promise<void> {
    const { clock } = this.settings;
    this.#isBusy = true;
    const goesOn = await this.#check();
    this.#isBusy = false;
    if (this.#stopped) return;
    if (!goesOn) {
      this.#stopped = true;
      return;
    }
    // Checks that take longer than a period leave some out.
    while (this.#next <= clock.now()) this.#next += this.#periodMs;
    const wait = this.#isTriggered ? 0 : this.#next - clock.now();
    this.#isTriggered = false;
    this.#cancel = clock.after(wait, () => void this.#tick());
  }

  /** Returns whether there may be something to check later. */
  async #check(): Promise<boolean> {
    const status = this.settings.status();
    if (!status) return true;
    if (status.phase === 'Failed' || status.phase === 'Succeeded') return false;
    const own = status.containerStatuses?.find(({ name }) => name === this.settings.container.name);
    if (!own?.containerID) return true;
    this.#follow(own.containerID);
    if (this.#onHold) return true;
    if (!own.state?.running) return this.#notRunning(own);
    if (this.#isEnding()) return false;
    if (!this.#isDue(own)) return true;
    await this.#probe(own.containerID, status);
    return true;
  }

  /** Begins anew with another run of the container. */
  #follow(containerId: string): void {
    if (containerId === this.#containerId) return;
    const { results, type } = this.settings;
    if (this.#containerId !== '') results.remove(this.#containerId);
    this.#containerId = containerId;
    this.#onHold = false;
    this.#set(INITIAL[type]);
  }

  #notRunning({ state }: ContainerStatus): boolean {
    this.#set('failure');
    return state?.terminated === undefined || this.settings.pod().spec?.restartPolicy !== 'Never';
  }

  /** A pod that is being deleted is not killed by its probes. */
  #isEnding(): boolean {
    if (this.settings.type === 'Readiness' || !this.settings.pod().metadata?.deletionTimestamp) return false;
    this.#set('success');
    return true;
  }

  #isDue({ state, started = false }: ContainerStatus): boolean {
    const { probe, type, clock } = this.settings;
    const runningMs = clock.wall() - parseTime(state?.running?.startedAt ?? '1970-01-01T00:00:00Z');
    if (Math.floor(runningMs / 1000) < (probe.initialDelaySeconds ?? 0)) return false;
    // Startup probes end with their success, and hold back the others until then.
    return started ? type !== 'Startup' : type === 'Startup';
  }

  async #probe(containerId: string, { podIP = '' }: PodStatus): Promise<void> {
    const { type, probe, container, prober, pod } = this.settings;
    const id = containerId.replace(/^[^:]*:\/\//, '');
    const result = await prober.probe({ type, probe, container, pod: pod(), containerId: id, podIP });
    if (result === undefined || this.#stopped) return;
    this.counts[result === 'success' ? 'successful' : 'failed']++;
    this.#run = result === this.#last ? this.#run + 1 : 1;
    this.#last = result;
    const threshold = result === 'success' ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    if (this.#run < threshold) return;
    this.#set(result);
    if (result === 'success' || type === 'Readiness') return;
    // The container will be killed: commands in it would only disturb that.
    this.#onHold = true;
    this.#run = 0;
  }

  #set(result: ProbeResult): void {
    this.settings.results.set(this.#containerId, result, uidOf(this.settings.pod()));
  }
}
