import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LinuxResources } from '@orch/container-runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import { uidOf } from '../identity.js';
import { add, podAmounts, type ResourceAmounts } from './amounts.js';
import { type CgroupDriver, type CgroupName, cgroupPath, podCgroup, podsCgroup } from './cgroup-names.js';
import { type CpuQuotaSettings, podCgroupValues, sharesOf } from './cgroup-values.js';
import { type QosClass, qosClassOf } from './qos.js';

/** Settings of {@link CgroupFolders}. */
interface CgroupsSettings {
  /** Folder where the kernel shows cgroups: `/sys/fs/cgroup`. */
  readonly mount: string;
  /** Cgroup below which those of pods are made. */
  readonly root: CgroupName;
  /** Owner of cgroups. */
  readonly driver: CgroupDriver;
  /** How limits of CPU are enforced. */
  readonly quota: CpuQuotaSettings;
  /** Processes of a pod; negative for no limit. */
  readonly podPids: number;
}

/** Values of a cgroup, the number of its processes among them. */
type Values = LinuxResources & { readonly pids?: number };

const CLASSES = ['Guaranteed', 'Burstable', 'BestEffort'] as const;

/** Controllers that limit pods, each with a hierarchy of its own in version 1. */
const CONTROLLERS = ['cpu', 'memory', 'pids'] as const;

/** Controllers of version 2 that pods and their containers have files of, where the kernel has them. */
const DELEGATED = ['cpuset', ...CONTROLLERS, 'hugetlb'];

function limitsOf(allowed: ResourceAmounts): Values {
  const [cpu, memory, pids] = [allowed.get('cpu'), allowed.get('memory'), allowed.get('pid')];
  return {
    ...(cpu !== undefined && { cpuShares: sharesOf(cpu) }),
    ...(memory !== undefined && { memoryLimit: Number(memory) }),
    ...(pids !== undefined && { pids: Number(pids) }),
  };
}

/** CgroupFolders of pods and of their classes of service, in version 1 or 2 of the kernel's interface. */
export class CgroupFolders {
  #isUnified: Promise<boolean> | undefined;

  constructor(private readonly settings: CgroupsSettings) {}

  /** Makes the cgroups that all others lie in. @param allowed what all pods together can have; absent: no limit */
  async start(allowed?: ResourceAmounts): Promise<void> {
    const limits: Record<QosClass, Values> = {
      Guaranteed: allowed ? limitsOf(allowed) : {},
      Burstable: {},
      BestEffort: { cpuShares: sharesOf(0n) },
    };
    for (const qos of CLASSES) await this.#apply(podsCgroup(this.settings.root, qos), limits[qos]);
  }

  /** Holds a cgroup that is there already to a share of the machine. @throws Error if there is none */
  async limit(name: CgroupName, allowed: ResourceAmounts): Promise<void> {
    for (const folder of await this.#folders(name))
      if (!(await exists(folder))) throw new Error(`the cgroup /${name.join('/')} does not exist`);
    await this.#apply(name, limitsOf(allowed));
  }

  /** Makes the cgroup of a pod, or brings its values up to date. */
  async ensure(pod: Pod): Promise<void> {
    const { root, quota, podPids } = this.settings;
    await this.#apply(podCgroup(root, pod), { ...podCgroupValues(pod, quota), ...(podPids > 0 && { pids: podPids }) });
  }

  /** Gives the pods of the class Burstable the CPU time that they request together. */
  async updateClasses(pods: Iterable<Pod>): Promise<void> {
    const sum = new Map<string, bigint>();
    for (const pod of pods) if (qosClassOf(pod) === 'Burstable') add(sum, podAmounts(pod, 'requests'));
    await this.#apply(podsCgroup(this.settings.root, 'Burstable'), { cpuShares: sharesOf(sum.get('cpu') ?? 0n) });
  }

  /** Removes the cgroup of a pod, in which nothing runs any more. @throws Error if something does */
  async remove(pod: Pod): Promise<void> {
    const { root, driver, mount } = this.settings;
    // Runtimes have made it in hierarchies of their own, above the cgroups of containers.
    const hierarchies = (await this.#unified()) ? ['.'] : await readdir(mount);
    // The class of a pod is not known any more when the runtime alone has it.
    const classes = pod.spec ? [qosClassOf(pod)] : CLASSES;
    const paths = classes.map((qos) => cgroupPath([...podsCgroup(root, qos), `pod${uidOf(pod)}`], driver));
    const folders = paths.flatMap((path) => hierarchies.map((hierarchy) => join(mount, hierarchy, path)));
    // One after another they would take as long as all that ends at the same time lets each of them wait.
    await Promise.all(folders.map(removeTree));
  }

  async #folders(name: CgroupName): Promise<string[]> {
    const { mount, driver } = this.settings;
    const path = cgroupPath(name, driver);
    if (await this.#unified()) return [join(mount, path)];
    return CONTROLLERS.map((controller) => join(mount, controller, path));
  }

  #unified(): Promise<boolean> {
    this.#isUnified ??= exists(join(this.settings.mount, 'cgroup.controllers'));
    return this.#isUnified;
  }

  async #apply(name: CgroupName, values: Values): Promise<void> {
    const isUnified = await this.#unified();
    for (const folder of await this.#folders(name)) {
      await mkdir(folder, { recursive: true });
      if (isUnified) await this.#delegate(folder);
    }
    const files = isUnified ? unifiedFiles(values) : separateFiles(values);
    const [unified = ''] = await this.#folders(name);
    for (const [file, value] of files) {
      const folder = isUnified
        ? unified
        : join(this.settings.mount, controllerOf(file), cgroupPath(name, this.settings.driver));
      await writeFile(join(folder, file), value);
    }
  }

  /** A cgroup of version 2 has the controllers that those above it hand down. */
  async #delegate(folder: string): Promise<void> {
    const above: string[] = [];
    for (let parent = dirname(folder); parent.startsWith(this.settings.mount); parent = dirname(parent))
      above.unshift(parent);
    const offered = (await readFile(join(this.settings.mount, 'cgroup.controllers'), 'utf8')).trim().split(/\s+/);
    const wanted = DELEGATED.filter((name) => offered.includes(name)).map((name) => `+${name}`);
    for (const parent of above) await writeFile(join(parent, 'cgroup.subtree_control'), wanted.join(' '));
  }
}

const controllerOf = (file: string): string => file.slice(0, file.indexOf('.'));

function separateFiles({ cpuShares, cpuQuota, cpuPeriod, memoryLimit, pids }: Values): [string, string][] {
  const files: [string, number | undefined][] = [
    ['cpu.shares', cpuShares],
    ['cpu.cfs_period_us', cpuPeriod],
    ['cpu.cfs_quota_us', cpuQuota === 0 ? -1 : cpuQuota],
    ['memory.limit_in_bytes', memoryLimit || undefined],
    ['pids.max', pids],
  ];
  return files.flatMap(([file, value]) => (value === undefined ? [] : [[file, String(value)]]));
}

function unifiedFiles({ cpuShares, cpuQuota, cpuPeriod, memoryLimit, pids }: Values): [string, string][] {
  const quota = cpuQuota === undefined ? undefined : `${cpuQuota > 0 ? cpuQuota : 'max'} ${cpuPeriod ?? 100_000}`;
  const files: [string, string | number | undefined][] = [
    ['cpu.weight', cpuShares === undefined ? undefined : weightOf(cpuShares)],
    ['cpu.max', quota],
    ['memory.max', memoryLimit || undefined],
    ['pids.max', pids],
  ];
  return files.flatMap(([file, value]) => (value === undefined ? [] : [[file, String(value)]]));
}

/** Maps the range of shares (2 to 262144) onto that of weights (1 to 10000). */
const weightOf = (shares: number): number => 1 + Math.floor(((shares - 2) * 9999) / 262_142);

/** Codes of errors of a folder that others are in. */
const HAS_MORE = new Set(['EBUSY', 'ENOTEMPTY']);

/** Files of a cgroup vanish with its folder, so only folders are removed. */
async function removeTree(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (!HAS_MORE.has(code)) throw error;
    const entries = await entriesOf(folder);
    await Promise.all(entries.map((name) => removeTree(join(folder, name))));
    // Several names may lead to one hierarchy.
    await rmdir(folder).catch(unlessGone);
  }
}

const entriesOf = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessGone);
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
};

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
