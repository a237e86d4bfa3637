import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedContainer, Runtime } from '@orch/container-runtime';
import type { EventSink } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import { Periodic } from '../periodic.js';
import { tooMany } from './dead-containers.js';

/** Dependencies of {@link ContainerCollector}. */
interface ContainerCollectorSettings {
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'listContainers' | 'listSandboxes' | 'removeContainer' | 'removeSandbox'>;
  /** Folder of the logs of pods. */
  readonly podLogs: string;
  /** Ended runs that are kept of a container; negative for all. */
  readonly perContainer: number;
  /** Ended containers that are kept on the node; negative for all. */
  readonly onNode: number;
  /** Whether all sources of pods have been seen: only then is a pod that none has known to be gone. */
  readonly hasSeenAll: () => boolean;
  /** Whether a source or a worker still has a pod. */
  readonly knows: (uid: string) => boolean;
  /** Whether a pod has ended, and none of its containers will run again. */
  readonly hasEnded: (uid: string) => boolean;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Clock of the interval. */
  readonly clock: Clock;
  /** Logs failures. */
  readonly logger: Logger;
}

const EVERY_MS = 60_000;
const UID_LABEL = 'io.kubernetes.pod.uid';

/** Removes ended containers, sandboxes without containers, and logs of pods that are gone. */
export class ContainerCollector {
  readonly #periodic: Periodic;

  constructor(private readonly settings: ContainerCollectorSettings) {
    const { clock, logger } = settings;
    const work = () => this.#round();
    this.#periodic = new Periodic({ name: 'the removal of containers', everyMs: EVERY_MS, work, clock, logger });
  }

  /** Begins to look. */
  start(): void {
    this.#periodic.start();
  }

  /** Ends that. */
  async stop(): Promise<void> {
    await this.#periodic.stop();
  }

  /** Removes what is too much. @param all whether all ended containers of pods that have ended go. @throws Error */
  async collect(all = false): Promise<void> {
    await this.#removeContainers(all);
    await this.#removeSandboxes();
    await this.#removeLogs();
  }

  async #round(): Promise<void> {
    try {
      await this.collect();
    } catch (error) {
      this.settings.events.ofNode('Warning', 'ContainerGCFailed', (error as Error).message);
      throw error;
    }
  }

  async #removeContainers(all: boolean): Promise<void> {
    const { runtime, perContainer, onNode, hasSeenAll, hasEnded } = this.settings;
    const dead = (await runtime.listContainers()).filter(
      ({ state, labels }) => state !== 'running' && labels[UID_LABEL],
    );
    const isNeedless = ({ labels }: ListedContainer) => {
      const uid = labels[UID_LABEL] ?? '';
      return hasSeenAll() && (this.#isGone(uid) || (all && hasEnded(uid)));
    };
    const needless = dead.filter(isNeedless);
    // A container that is created runs soon.
    const ended = dead.filter((container) => container.state === 'exited' && !isNeedless(container));
    for (const { id } of [...needless, ...tooMany(ended, perContainer, onNode)]) await runtime.removeContainer(id);
  }

  async #removeSandboxes(): Promise<void> {
    const { runtime } = this.settings;
    const [sandboxes, containers] = await Promise.all([runtime.listSandboxes(), runtime.listContainers()]);
    const used = new Set(containers.map(({ sandboxId }) => sandboxId));
    const newest = new Map<string, number>();
    for (const { metadata, createdAt } of sandboxes)
      newest.set(metadata.uid, Math.max(createdAt, newest.get(metadata.uid) ?? 0));
    for (const { id, metadata, state, labels, createdAt } of sandboxes) {
      if (state === 'ready' || used.has(id) || labels[UID_LABEL] === undefined) continue;
      // Its number and addresses are read from the newest while the pod is there.
      if (createdAt === newest.get(metadata.uid) && !this.#isGone(metadata.uid)) continue;
      await runtime.removeSandbox(id);
    }
  }

  async #removeLogs(): Promise<void> {
    const { podLogs } = this.settings;
    for (const name of await readdir(podLogs).catch(() => [])) {
      const uid = name.split('_')[2];
      if (uid !== undefined && uid !== '' && this.#isGone(uid))
        await rm(join(podLogs, name), { recursive: true, force: true });
    }
  }

  #isGone(uid: string): boolean {
    return this.settings.hasSeenAll() && !this.settings.knows(uid);
  }
}
