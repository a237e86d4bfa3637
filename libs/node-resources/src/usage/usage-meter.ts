import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Runtime, SandboxStatistics } from '@orch/container-runtime';
import { type PodFolders, uidOf } from '@orch/pod-environment';
import { type Clock, sleep } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import { CpuMeter } from './cpu-meter.js';
import { type HostFiles, hostFiles, type TreeSize } from './host-files.js';
import type { NodeMemory, NodeUsage, PodUsage, VolumeUsage } from './usage.js';

/** Settings of {@link UsageMeter}. */
interface UsageMeterSettings {
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'imageFilesystems' | 'listSandboxStatistics'>;
  /** Folders of pods. */
  readonly folders: PodFolders;
  /** Folder of the logs of pods. */
  readonly podLogs: string;
  /** Folder where the kernel shows cgroups. Default `/sys/fs/cgroup`. */
  readonly cgroupMount?: string;
  /** Clock of the times. */
  readonly clock: Clock;
  /** The machine; another one for tests. */
  readonly files?: HostFiles;
}

/** Age at which a folder is measured anew, ms: large ones take long. */
const FOLDERS_MS = 60_000;
/** Time that folders are waited for in all, ms. What takes longer has the size that it had before. */
const PATIENCE_MS = 2_000;
const NOTHING: TreeSize = { bytes: 0, inodes: 0 };
/** Labels of the runtime's sandboxes that name their pod. */
const UID_LABEL = 'io.kubernetes.pod.uid';

/** Size of a folder. */
interface MeasuredTree {
  /** Time of the last request for it, ms. */
  readonly requestedAt: number;
  /** Time at which it was measured, ms. */
  readonly at: number;
  readonly size: TreeSize;
  /** Present while it is measured anew. */
  readonly measuring?: Promise<void>;
}

/** Measures what the node, its pods and their containers use. */
export class UsageMeter {
  readonly #trees = new Map<string, MeasuredTree>();
  readonly #files: HostFiles;
  readonly #cpu: CpuMeter;

  constructor(private readonly settings: UsageMeterSettings) {
    this.#files = settings.files ?? hostFiles;
    this.#cpu = new CpuMeter(settings.clock);
  }

  /** Measures the node. @throws Error for what cannot be measured */
  async node(): Promise<NodeUsage> {
    const { folders, clock } = this.settings;
    const [memory, nodefs, processes] = await Promise.all([
      this.#memory(),
      this.#files.filesystem(folders.root),
      this.#processes(),
    ]);
    const imagefs = await this.#imagefs(nodefs);
    const hasOwnImagefs = imagefs.device !== nodefs.device;
    const at = clock.wall();
    const startedAt = at - Math.round(uptime() * 1000);
    return { at, startedAt, cpu: this.#cpu.usage(), memory, nodefs, imagefs, hasOwnImagefs, processes };
  }

  /** Measures the volumes of a pod that are folders of the node for it alone: not those of hosts and claims. */
  async volumes(pod: Pod): Promise<VolumeUsage[]> {
    const folder = this.settings.folders.volumes(uidOf(pod));
    return this.#patiently(async (late) => {
      const measured: VolumeUsage[] = [];
      for (const type of await this.#files.entries(folder))
        for (const name of await this.#files.entries(join(folder, type)))
          measured.push(await this.#volume(name, join(folder, type, name), late));
      return measured;
    });
  }

  async #volume(name: string, path: string, late: Promise<unknown>): Promise<VolumeUsage> {
    const [{ bytes, inodes: inodesUsed }, { capacityBytes, availableBytes, inodes, inodesFree }] = await Promise.all([
      this.#tree(path, late),
      this.#files.filesystem(path),
    ]);
    const at = this.settings.clock.wall();
    return { name, at, capacityBytes, availableBytes, usedBytes: bytes, inodes, inodesFree, inodesUsed };
  }

  /**
   * Measures all pods that the runtime has, by uid. Folders are measured once a minute; one with so many files that it
   * takes long holds nothing up.
   */
  async pods(): Promise<ReadonlyMap<string, PodUsage>> {
    const sandboxes = await this.settings.runtime.listSandboxStatistics();
    const found = new Map<string, PodUsage>();
    await this.#patiently(async (late) => {
      for (const sandbox of sandboxes)
        if (sandbox.labels[UID_LABEL] !== undefined) found.set(sandbox.metadata.uid, await this.#pod(sandbox, late));
    });
    this.#forget();
    return found;
  }

  /** Measures folders. @param measure is given what resolves when it has waited long enough for all of them */
  async #patiently<T>(measure: (late: Promise<unknown>) => Promise<T>): Promise<T> {
    const done = new AbortController();
    try {
      return await measure(sleep(this.settings.clock, PATIENCE_MS, done.signal));
    } finally {
      done.abort();
    }
  }

  async #pod({ metadata, containers, processCount = 0 }: SandboxStatistics, late: Promise<unknown>): Promise<PodUsage> {
    const { uid, name, namespace } = metadata;
    const logs = join(this.settings.podLogs, `${namespace}_${name}_${uid}`);
    const measured = [];
    for (const statistics of containers) {
      const { name: container } = statistics.metadata;
      measured.push({ name: container, statistics, logs: await this.#tree(join(logs, container), late) });
    }
    return {
      uid,
      name,
      namespace,
      containers: measured,
      volumes: await this.#volumes(uid, late),
      processes: processCount,
    };
  }

  async #volumes(uid: string, late: Promise<unknown>): Promise<(TreeSize & { name: string })[]> {
    const folder = join(this.settings.folders.volumes(uid), 'kubernetes.io~empty-dir');
    const volumes = [];
    for (const name of await this.#files.entries(folder))
      volumes.push({ name, ...(await this.#tree(join(folder, name), late)) });
    return volumes;
  }

  async #tree(path: string, late: Promise<unknown>): Promise<TreeSize> {
    const requestedAt = this.settings.clock.now();
    const known = this.#trees.get(path) ?? { requestedAt, at: Number.NEGATIVE_INFINITY, size: NOTHING };
    const isFresh = requestedAt - known.at < FOLDERS_MS;
    const measuring = known.measuring ?? (isFresh ? undefined : this.#measure(path));
    this.#trees.set(path, { ...known, requestedAt, ...(measuring && { measuring }) });
    await Promise.race([measuring, late]);
    return this.#trees.get(path)?.size ?? known.size;
  }

  /** Measures a folder. Never rejects: what cannot be measured has the size that it had before. */
  async #measure(path: string): Promise<void> {
    const size = await this.#files.tree(path).catch(() => undefined);
    const known = this.#trees.get(path);
    const at = this.settings.clock.now();
    this.#trees.set(path, { requestedAt: known?.requestedAt ?? at, at, size: size ?? known?.size ?? NOTHING });
  }

  #forget(): void {
    const now = this.settings.clock.now();
    for (const [path, { requestedAt, measuring }] of this.#trees)
      if (!measuring && now - requestedAt >= FOLDERS_MS) this.#trees.delete(path);
  }

  /** The root cgroup of version 1 counts what the machine uses; that of version 2 counts nothing. */
  async #memory(): Promise<NodeMemory> {
    const { cgroupMount = '/sys/fs/cgroup' } = this.settings;
    const [meminfo = '', vmstat = '', usage, statistics = ''] = await Promise.all([
      this.#files.read('/proc/meminfo'),
      this.#files.read('/proc/vmstat'),
      this.#files.read(join(cgroupMount, 'memory/memory.usage_in_bytes')),
      this.#files.read(join(cgroupMount, 'memory/memory.stat')),
    ]);
    const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;
    const capacityBytes = kibibytes('MemTotal');
    const isCounted = usage !== undefined;
    const usageBytes = isCounted ? Number(usage) : capacityBytes - kibibytes('MemFree');
    const inactive = isCounted ? countIn(statistics, 'total_inactive_file') : kibibytes('Inactive\\(file\\)');
    const workingSetBytes = Math.min(Math.max(usageBytes - inactive, 0), capacityBytes);
    return {
      ...{ capacityBytes, usageBytes, availableBytes: capacityBytes - workingSetBytes, workingSetBytes },
      rssBytes: isCounted ? countIn(statistics, 'total_rss') : kibibytes('AnonPages'),
      ...{ pageFaults: countIn(vmstat, 'pgfault'), majorPageFaults: countIn(vmstat, 'pgmajfault') },
    };
  }

  async #processes(): Promise<{ max: number; running: number }> {
    const [pidMax = '0', threadsMax = '0', load = ''] = await Promise.all([
      this.#files.read('/proc/sys/kernel/pid_max'),
      this.#files.read('/proc/sys/kernel/threads-max'),
      this.#files.read('/proc/loadavg'),
    ]);
    const max = Math.min(Number(pidMax), Number(threadsMax));
    return { max, running: Number(/\d+\/(\d+)/.exec(load)?.[1] ?? 0) };
  }

  async #imagefs(nodefs: NodeUsage['nodefs']): Promise<NodeUsage['imagefs']> {
    const [first] = await this.settings.runtime.imageFilesystems();
    return first ? this.#files.filesystem(first.mountpoint).catch(() => nodefs) : nodefs;
  }
}

/** Returns a number from lines of names and numbers, as the kernel writes statistics; 0 if it is not there. */
const countIn = (statistics: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)`, 'm').exec(statistics)?.[1] ?? 0);
