import type { LinuxResources, Runtime } from '@orch/container-runtime';
import type { Clock, Logger } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import { Periodic } from '../periodic.js';
import type { CpuManager } from './cpu-manager.js';
import type { MemoryManager } from './memory-manager.js';
import type { PinningRefusal } from './refusal.js';

/** Settings of {@link PinnedContainers}. */
interface PinnedContainersSettings {
  /** Gives CPUs to containers; absent: all run on all. */
  readonly cpus?: CpuManager;
  /** Binds memory; absent: that of all is anywhere. */
  readonly memory?: MemoryManager;
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'listContainers' | 'updateContainerResources'>;
  /** Returns the uids of the pods that may run; undefined as long as they are not all known. */
  readonly mayRun: () => ReadonlySet<string> | undefined;
  /** Interval at which the CPUs of containers are compared with those that they were given, ms. */
  readonly everyMs: number;
  /** Clock of the interval. */
  readonly clock: Clock;
  /** Logs updates that fail. */
  readonly logger: Logger;
}

/** Labels by which the runtime's containers are recognized. */
const UID_LABEL = 'io.kubernetes.pod.uid';
const NAME_LABEL = 'io.kubernetes.container.name';

/** CPUs and memory that containers have for themselves (`--cpu-manager-policy`, `--memory-manager-policy`). */
export class PinnedContainers {
  readonly #periodic: Periodic | undefined;
  /** CPUs that containers were given last, by id. */
  readonly #applied = new Map<string, string>();

  constructor(private readonly settings: PinnedContainersSettings) {
    const { cpus, everyMs, clock, logger } = settings;
    const work = () => this.reconcile();
    this.#periodic = cpus && new Periodic({ name: 'the check of CPUs of containers', everyMs, work, clock, logger });
  }

  /** Gives a pod what its containers have for themselves. @returns why it cannot have it; undefined if it can */
  allocate(pod: Pod): PinningRefusal | undefined {
    this.#takeBack(pod.metadata?.uid ?? '');
    return this.settings.cpus?.allocate(pod) ?? this.settings.memory?.allocate(pod);
  }

  /** Returns the values of the cgroup of a container that follow from it. */
  resources(uid: string, container: string): Pick<LinuxResources, 'cpusetCpus' | 'cpusetMems'> {
    const cpusetMems = this.settings.memory?.nodesOf(uid, container);
    const cpusetCpus = this.settings.cpus?.cpusOf(uid, container);
    return { ...(cpusetCpus && { cpusetCpus }), ...(cpusetMems && { cpusetMems }) };
  }

  /** Begins to compare the CPUs of containers with those that they were given. */
  start(): void {
    this.#periodic?.start();
  }

  /** Ends that. Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    await this.#periodic?.stop();
  }

  /** Takes back what pods had that are gone, and moves containers that share CPUs to those that are left. */
  async reconcile(): Promise<void> {
    const { cpus, runtime, logger } = this.settings;
    if (!cpus) return;
    this.#takeBack();
    const containers = await runtime.listContainers({ state: 'running' });
    for (const { id, labels } of containers) {
      const { [UID_LABEL]: uid, [NAME_LABEL]: name } = labels;
      if (uid === undefined || name === undefined) continue;
      const wanted = cpus.cpusOf(uid, name);
      if (this.#applied.get(id) === wanted) continue;
      try {
        await runtime.updateContainerResources(id, { cpusetCpus: wanted });
        this.#applied.set(id, wanted);
      } catch (error) {
        logger.warn('the CPUs of a container cannot be changed', { container: name, uid, err: String(error) });
      }
    }
    const running = new Set(containers.map(({ id }) => id));
    for (const id of this.#applied.keys()) if (!running.has(id)) this.#applied.delete(id);
  }

  /** @param pending uid of a pod that is not among the others yet */
  #takeBack(pending?: string): void {
    const mayRun = this.settings.mayRun();
    if (!mayRun) return;
    const uids = pending === undefined ? mayRun : new Set([...mayRun, pending]);
    this.settings.cpus?.keepOnly(uids);
    this.settings.memory?.keepOnly(uids);
  }
}
