import { access, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { ListedContainer, Runtime } from '@orch/container-runtime';
import type { Clock, Logger } from '@orch/runtime';
import { Periodic } from '../periodic.js';

/** Settings of {@link LogLinks}. */
interface LogLinksSettings {
  /** Folder of the links. */
  readonly folder: string;
  /** Folder of the logs of pods. */
  readonly podLogs: string;
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'listContainers'>;
  /** Clock of the interval. */
  readonly clock: Clock;
  /** Logs rounds that fail. */
  readonly logger: Logger;
}

const EVERY_MS = 10_000;
/** Labels by which the runtime's containers are recognized. */
const LABELS = {
  pod: 'io.kubernetes.pod.name',
  namespace: 'io.kubernetes.pod.namespace',
  uid: 'io.kubernetes.pod.uid',
  container: 'io.kubernetes.container.name',
} as const;

/** Keeps links to the logs of all containers in one folder, whose names programs that collect logs know how to read. */
export class LogLinks {
  readonly #periodic: Periodic;

  constructor(private readonly settings: LogLinksSettings) {
    const { clock, logger } = settings;
    const work = () => this.update();
    this.#periodic = new Periodic({ name: 'the update of links to logs', everyMs: EVERY_MS, work, clock, logger });
  }

  /** Begins to keep them. */
  start(): void {
    this.#periodic.start();
  }

  /** Ends that; links to logs stay, as the logs do. */
  async stop(): Promise<void> {
    await this.#periodic.stop();
  }

  /** Makes links to logs that are there, and removes those whose log is gone. What is no link to a log of a pod stays. */
  async update(): Promise<void> {
    const { folder, podLogs, runtime } = this.settings;
    const containers = await runtime.listContainers();
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const known = new Set(await readdir(folder));
    for (const container of containers) {
      const link = linkOf(container, podLogs);
      if (link && !known.has(link.name) && (await exists(link.log))) await symlink(link.log, join(folder, link.name));
    }
    for (const name of known) await this.#removeBroken(join(folder, name));
  }

  async #removeBroken(path: string): Promise<void> {
    const target = await readlink(path).catch(() => undefined);
    if (target?.startsWith(`${this.settings.podLogs}${sep}`) && !(await exists(target)))
      await rm(path, { force: true });
  }
}

/** Returns the name of the link to the log of a container, and the log; undefined for containers of others. */
function linkOf({ id, metadata, labels }: ListedContainer, podLogs: string): { name: string; log: string } | undefined {
  const [pod, namespace, uid, container] = [LABELS.pod, LABELS.namespace, LABELS.uid, LABELS.container].map(
    (label) => labels[label],
  );
  if (!pod || !namespace || !uid || !container) return undefined;
  const log = join(podLogs, `${namespace}_${pod}_${uid}`, container, `${metadata.attempt}.log`);
  return { name: `${pod}_${namespace}_${container}-${id}.log`, log };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
