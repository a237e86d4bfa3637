import type { ListedPod, StatusManager } from '@orch/pod-containers';
import type { PodVolumes } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import type { PodWorkers } from './pod-workers.js';

/** Dependencies of {@link PodHousekeeping}. */
interface HousekeepingSettings {
  /** Whether all sources have been seen: only then is a pod that none has known to be unwanted. */
  readonly hasSeenAll: () => boolean;
  /** Pods of the runtime, by uid. */
  readonly listed: () => ReadonlyMap<string, ListedPod>;
  /** Workers of pods. */
  readonly workers: Pick<PodWorkers, 'get' | 'list' | 'addOrphan'>;
  /** Folders of pods. */
  readonly volumes: Pick<PodVolumes, 'known' | 'remove'>;
  /** Statuses of pods. */
  readonly statuses: Pick<StatusManager, 'forgetAllBut'>;
  /** Removes mirror pods whose static pod is gone; absent without an API. */
  readonly removeMirrors?: () => Promise<void>;
  /** Clock of the interval. */
  readonly clock: Clock;
  /** Logs failures. */
  readonly logger: Logger;
}

const EVERY_MS = 2_000;

/** Finds what is left of pods that no source has. */
export class PodHousekeeping {
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly settings: HousekeepingSettings) {}

  /** Begins to look, from time to time. */
  start(): void {
    this.#cancel = this.settings.clock.after(EVERY_MS, () => {
      this.#running = this.clean().finally(() => {
        if (!this.#stopped) this.start();
      });
    });
  }

  /** Ends that. Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#running;
  }

  /** Looks once. Never rejects. */
  async clean(): Promise<void> {
    const { hasSeenAll, workers, statuses, removeMirrors, logger } = this.settings;
    if (!hasSeenAll()) return;
    try {
      this.#endOrphans();
      await this.#removeFolders();
      await removeMirrors?.();
      statuses.forgetAllBut(new Set([...workers.list()].map(({ pod }) => pod.metadata?.uid ?? '')));
    } catch (error) {
      logger.warn('remains of pods cannot be removed', { err: String(error) });
    }
  }

  #endOrphans(): void {
    const { listed, workers } = this.settings;
    for (const { uid, name, namespace } of listed().values())
      if (!workers.get(uid)) workers.addOrphan({ metadata: { uid, name, namespace } });
  }

  async #removeFolders(): Promise<void> {
    const { volumes, workers, listed, logger } = this.settings;
    for (const uid of await volumes.known()) {
      if (workers.get(uid) || listed().has(uid)) continue;
      // One that cannot be removed yet keeps nothing else.
      await volumes.remove(uid).catch((error: unknown) => {
        logger.warn('the folder of a pod that is gone cannot be removed', { uid, err: String(error) });
      });
    }
  }
}
