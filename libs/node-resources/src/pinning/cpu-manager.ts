import { amountsOf, type PodContainer, qosClassOf, uidOf } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import { mapText, readCheckpoint, writeCheckpoint } from './checkpoint.js';
import { takeCpus } from './cpu-assignment.js';
import { type CpuSet, difference, formatCpuSet, parseCpuSet, union } from './cpu-set.js';
import type { Cpu } from './cpu-topology.js';
import { type PinningRefusal, refusalOf, SmtAlignmentError } from './refusal.js';

/** Settings of {@link CpuManager}. */
interface CpuManagerSettings {
  /** CPUs of the machine. */
  readonly cpus: readonly Cpu[];
  /** Number of CPUs that are never given away. */
  readonly reserved: number;
  /** The CPUs that are never given away; absent: those with the lowest numbers. */
  readonly reservedCpus?: CpuSet;
  /** Whether whole cores alone are given away (option `full-pcpus-only`). */
  readonly wholeCores: boolean;
  /** File of what was given away. */
  readonly file: string;
}

/** Members of the file. */
interface CpuCheckpoint {
  readonly policyName: string;
  readonly defaultCpuSet: string;
  readonly entries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const POLICY = 'static';

/** Gives CPUs to containers for themselves: those of Guaranteed pods that request whole CPUs. Others share the rest. */
export class CpuManager {
  /** CPUs that containers share. */
  #shared: CpuSet;
  /** CPUs of containers for themselves, by uid of the pod and name. */
  readonly #own = new Map<string, Map<string, CpuSet>>();
  readonly #all: CpuSet;
  /** CPUs that are never given away. */
  readonly reserved: CpuSet;
  /** Reserved CPUs with the others of their cores. */
  readonly #reservedCores: CpuSet;

  /** Reads what was given away before. @throws Error for a file that does not fit */
  constructor(private readonly settings: CpuManagerSettings) {
    const { cpus, reserved, reservedCpus, file } = settings;
    this.#all = new Set(cpus.map(({ id }) => id));
    this.reserved = reservedCpus ?? takeCpus(cpus, this.#all, reserved);
    if (difference(this.reserved, this.#all).size > 0)
      throw new Error(`the reserved CPUs ${formatCpuSet(this.reserved)} are not all there`);
    const cores = new Set(cpus.filter(({ id }) => this.reserved.has(id)).map(({ core }) => core));
    this.#reservedCores = new Set(cpus.filter(({ core }) => cores.has(core)).map(({ id }) => id));
    this.#shared = this.#all;
    const known = readCheckpoint<CpuCheckpoint & { checksum: number }>(file, POLICY, cpuCheckpointText);
    if (known) this.#restore(known);
    this.#save();
  }

  /** Gives a pod its CPUs, or leaves it those that it has. @returns why it cannot have them; undefined if it can */
  allocate(pod: Pod): PinningRefusal | undefined {
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    const before = this.#own.has(uidOf(pod));
    // Init containers have ended when the others start: these get the same ones.
    let reusable: CpuSet = new Set();
    try {
      for (const container of initContainers) reusable = union(reusable, this.#give(pod, container, reusable));
      for (const container of containers) reusable = difference(reusable, this.#give(pod, container, reusable));
      return undefined;
    } catch (error) {
      if (!before) this.#release(uidOf(pod));
      return refusalOf(error);
    } finally {
      this.#save();
    }
  }

  /** Takes back the CPUs of all pods but those that may run. */
  keepOnly(uids: ReadonlySet<string>): void {
    const gone = [...this.#own.keys()].filter((uid) => !uids.has(uid));
    for (const uid of gone) this.#release(uid);
    if (gone.length > 0) this.#save();
  }

  /** Returns the CPUs that a container runs on: its own, or those that are shared; as the kernel writes them. */
  cpusOf(uid: string, container: string): string {
    return formatCpuSet(this.#own.get(uid)?.get(container) ?? this.#shared);
  }

  #give(pod: Pod, container: PodContainer, reusable: CpuSet): CpuSet {
    const count = wholeCpus(pod, container);
    if (count === 0) return new Set();
    const { name = '' } = container;
    const known = this.#own.get(uidOf(pod))?.get(name);
    if (known) return known;
    if (this.settings.wholeCores) this.#checkCores(count);
    const given = takeCpus(this.settings.cpus, union(difference(this.#shared, this.reserved), reusable), count);
    const own = this.#own.get(uidOf(pod)) ?? new Map<string, CpuSet>();
    this.#own.set(uidOf(pod), own.set(name, given));
    this.#shared = difference(this.#shared, given);
    return given;
  }

  /** @throws SmtAlignmentError */
  #checkCores(count: number): void {
    const { cpus } = this.settings;
    const perCore = cpus.length / new Set(cpus.map(({ core }) => core)).size;
    const free = difference(this.#shared, this.#reservedCores).size;
    if (count % perCore !== 0)
      throw new SmtAlignmentError(`requested ${count} cpus not multiple cpus per core = ${perCore}`);
    if (count > free)
      throw new SmtAlignmentError(
        `not enough free physical CPUs: available physical CPUs = ${free}, requested CPUs = ${count}, CPUs per core = ${perCore}`,
      );
  }

  #release(uid: string): void {
    this.#shared = union(this.#shared, ...(this.#own.get(uid)?.values() ?? []));
    this.#own.delete(uid);
  }

  #restore({ defaultCpuSet, entries = {} }: CpuCheckpoint): void {
    for (const [uid, containers] of Object.entries(entries))
      this.#own.set(uid, new Map(Object.entries(containers).map(([name, cpus]) => [name, parseCpuSet(cpus)] as const)));
    this.#shared = parseCpuSet(defaultCpuSet);
    const given = [...this.#own.values()].flatMap((containers) => [...containers.values()]);
    const problem = this.#problemOf(union(...given));
    if (problem) throw new Error(`${problem}; please drain this node and delete the file ${this.settings.file}`);
  }

  /** @param given CPUs that containers have for themselves */
  #problemOf(given: CpuSet): string | undefined {
    const [shared, all, reserved] = [this.#shared, this.#all, this.reserved].map(formatCpuSet);
    if (difference(this.reserved, this.#shared).size > 0)
      return `not all reserved cpus: "${reserved}" are present in defaultCpuSet: "${shared}"`;
    if ([...given].some((cpu) => this.#shared.has(cpu)))
      return `cpus of containers "${formatCpuSet(given)}" overlap with default cpuset "${shared}"`;
    const known = formatCpuSet(union(this.#shared, given));
    return known === all
      ? undefined
      : `current set of available CPUs "${all}" doesn't match with CPUs in state "${known}"`;
  }

  #save(): void {
    const entries = [...this.#own].map(([uid, containers]) => {
      const texts = [...containers].map(([name, cpus]) => [name, formatCpuSet(cpus)] as const);
      return [uid, Object.fromEntries(texts)] as const;
    });
    const checkpoint: CpuCheckpoint = {
      ...{ policyName: POLICY, defaultCpuSet: formatCpuSet(this.#shared) },
      ...(entries.length > 0 && { entries: Object.fromEntries(entries) }),
    };
    writeCheckpoint(this.settings.file, checkpoint, cpuCheckpointText);
  }
}

/** Returns the number of CPUs that a container gets for itself; 0 for one that shares. */
function wholeCpus(pod: Pod, { resources }: PodContainer): number {
  if (qosClassOf(pod) !== 'Guaranteed') return 0;
  // A request that is not written is the limit.
  const amount = amountsOf(resources?.requests).get('cpu') ?? amountsOf(resources?.limits).get('cpu') ?? 0n;
  return amount % 1000n === 0n ? Number(amount / 1000n) : 0;
}

/** Returns the text that the sum of the file is made of. */
export const cpuCheckpointText = ({ policyName, defaultCpuSet, entries = {} }: CpuCheckpoint): string =>
  [
    `(*state.CPUManagerCheckpoint){PolicyName:(string)${policyName} DefaultCPUSet:(string)${defaultCpuSet}`,
    `Entries:(map[string]map[string]string)${mapText(Object.entries(entries), (own) => mapText(Object.entries(own), String))}`,
    'Checksum:(checksum.Checksum)0}',
  ].join(' ');
