import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sleep, systemClock } from '@orch/runtime/clock';
import type { LinuxResources } from '../../resources.js';

const MOUNT = '/sys/fs/cgroup';
/** Hierarchies of version 1 that containers have groups in. */
const V1 = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids'];

/** Files that kernels without accounting of swap do not have: there is no swap to be limited then. */
const OPTIONAL: ReadonlySet<string> = new Set(['memory.memsw.limit_in_bytes', 'memory.swap.max']);

/** Usage of a group, as far as its files say. */
interface GroupUsage {
  readonly cpuNanoseconds?: number;
  readonly memoryBytes?: number;
  readonly workingSetBytes?: number;
}

/** Control groups of the machine, of version 1 or 2. */
export class Cgroups {
  readonly #isUnified: boolean;

  /** @param mount where the hierarchies are mounted */
  constructor(private readonly mount = MOUNT) {
    this.#isUnified = existsSync(join(mount, 'cgroup.controllers'));
  }

  /**
   * Makes the groups of a container and sets its limits.
   *
   * @param path of the group from the root of the hierarchies
   * @returns the folders, which a process joins; empty if no groups can be made here
   */
  make(path: string, resources: LinuxResources): readonly string[] {
    const folders = this.#hierarchies().map((hierarchy) => join(this.mount, hierarchy, path));
    try {
      for (const folder of folders) {
        mkdirSync(folder, { recursive: true });
        if (this.#isUnified) this.#enableControllers(folder);
        else if (folder.startsWith(join(this.mount, 'cpuset/'))) this.#inheritCpus(folder);
      }
      this.set(folders, resources);
    } catch {
      removeGroups(folders);
      return [];
    }
    return folders;
  }

  /** Changes the limits of groups. @throws Error if a file cannot be written */
  set(folders: readonly string[], resources: LinuxResources): void {
    const files = this.#isUnified ? filesOfVersion2(resources) : filesOfVersion1(resources);
    for (const [name, value] of Object.entries(files)) {
      if (value === undefined) continue;
      const folder = folders.find((each) => existsSync(join(each, name)));
      if (folder === undefined && OPTIONAL.has(name)) continue;
      if (folder === undefined) throw new Error(`no control group has ${name}`);
      writeFileSync(join(folder, name), value);
    }
  }

  #hierarchies(): readonly string[] {
    return this.#isUnified ? ['.'] : V1.filter((name) => existsSync(join(this.mount, name)));
  }

  /** A group of version 2 has the files of a controller if the group above it passes it on. */
  #enableControllers(folder: string): void {
    const above: string[] = [];
    for (let at = dirname(folder); at.startsWith(this.mount); at = dirname(at)) above.unshift(at);
    for (const each of above) {
      const file = join(each, 'cgroup.controllers');
      const all = existsSync(file) ? readFileSync(file, 'utf8').trim().split(/\s+/) : [];
      const wanted = all.filter((name) => ['cpu', 'cpuset', 'memory', 'pids'].includes(name));
      if (wanted.length > 0)
        writeFileSync(join(each, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
    }
  }

  /** A group of version 1 may not be used before it has processors and memory. */
  #inheritCpus(folder: string): void {
    const above = dirname(folder);
    if (above.length > join(this.mount, 'cpuset').length) this.#inheritCpus(above);
    for (const name of ['cpuset.cpus', 'cpuset.mems'])
      if (readFileSync(join(folder, name), 'utf8').trim() === '')
        writeFileSync(join(folder, name), readFileSync(join(above, name)));
  }
}

const text = (value: number | string | undefined): string | undefined =>
  value === undefined || value === '' ? undefined : String(value);

function filesOfVersion1(resources: LinuxResources): Record<string, string | undefined> {
  return {
    'cpu.shares': text(resources.cpuShares),
    'cpu.cfs_period_us': text(resources.cpuPeriod),
    'cpu.cfs_quota_us': text(resources.cpuQuota),
    'memory.limit_in_bytes': text(resources.memoryLimit),
    'memory.memsw.limit_in_bytes': text(resources.memorySwapLimit),
    'pids.max': text(resources.pidsLimit),
    'cpuset.cpus': text(resources.cpusetCpus),
    'cpuset.mems': text(resources.cpusetMems),
  };
}

function filesOfVersion2(resources: LinuxResources): Record<string, string | undefined> {
  const { cpuShares, cpuPeriod = 100_000, cpuQuota, memoryLimit = 0, memorySwapLimit } = resources;
  return {
    // Shares of 2 to 262144 become weights of 1 to 10000.
    'cpu.weight': text(cpuShares === undefined ? undefined : 1 + Math.floor(((cpuShares - 2) * 9_999) / 262_142)),
    'cpu.max': text(cpuQuota === undefined ? undefined : `${cpuQuota < 0 ? 'max' : cpuQuota} ${cpuPeriod}`),
    'memory.max': text(resources.memoryLimit),
    // This one does not include memory.
    'memory.swap.max': text(memorySwapLimit === undefined ? undefined : Math.max(0, memorySwapLimit - memoryLimit)),
    'pids.max': text(resources.pidsLimit),
    'cpuset.cpus': text(resources.cpusetCpus),
    'cpuset.mems': text(resources.cpusetMems),
    ...resources.unified,
  };
}

/** Milliseconds between looks at whether processes have ended, and looks at most. */
const [LOOK_MS, MOST_LOOKS] = [5, 400];

/** Kills the processes of groups that belong to one container. Resolves once there are none, or it takes too long. */
export async function emptyGroups([folder]: readonly string[]): Promise<void> {
  for (let look = 0; folder !== undefined && look < MOST_LOOKS; look++) {
    const pids = (read([folder], 'cgroup.procs') ?? '').split('\n').filter((line) => line !== '');
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
    await sleep(systemClock, LOOK_MS);
  }
}

/** Removes groups without processes, and the groups above them that are left empty. */
export function removeGroups(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      for (const name of readdirSync(folder, { withFileTypes: true }))
        if (name.isDirectory()) removeGroups([join(folder, name.name)]);
      rmdirSync(folder);
    } catch {
      // It does not exist, or a process has not ended yet.
    }
  }
}

function read(folders: readonly string[], name: string): string | undefined {
  for (const folder of folders) {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      // Another hierarchy has it, or none.
    }
  }
  return undefined;
}

function field(contents: string | undefined, name: string): number | undefined {
  const [, value] = new RegExp(`^${name} (\\d+)$`, 'm').exec(contents ?? '') ?? [];
  return value === undefined ? undefined : Number(value);
}

/** Returns whether a process of the groups was killed for its memory. */
export function hasRunOutOfMemory(folders: readonly string[]): boolean {
  const contents = read(folders, 'memory.events') ?? read(folders, 'memory.oom_control');
  return (field(contents, 'oom_kill') ?? 0) > 0;
}

/** Returns the usage of groups. */
export function groupUsage(folders: readonly string[]): GroupUsage {
  const microseconds = field(read(folders, 'cpu.stat'), 'usage_usec');
  const nanoseconds = read(folders, 'cpuacct.usage');
  const memory = read(folders, 'memory.current') ?? read(folders, 'memory.usage_in_bytes');
  const stat = read(folders, 'memory.stat');
  const inactive = field(stat, 'total_inactive_file') ?? field(stat, 'inactive_file') ?? 0;
  const cpu = microseconds === undefined ? nanoseconds : microseconds * 1000;
  return {
    ...(cpu !== undefined && { cpuNanoseconds: Number(cpu) }),
    ...(memory !== undefined && { memoryBytes: Number(memory) }),
    ...(memory !== undefined && { workingSetBytes: Math.max(0, Number(memory) - inactive) }),
  };
}
