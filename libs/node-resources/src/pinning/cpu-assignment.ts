import type { CpuSet } from './cpu-set.js';
import type { Cpu } from './cpu-topology.js';

/** Something that CPUs are part of. */
type Level = 'node' | 'socket' | 'core';

/**
 * Chooses CPUs that lie close together: whole NUMA nodes and sockets first, then whole cores, then single threads; of
 * equal ones those that have the least left.
 *
 * @param cpus all CPUs of the machine
 * @param available those that can be chosen
 * @throws Error if there are not enough
 */
export function takeCpus(cpus: readonly Cpu[], available: CpuSet, count: number): CpuSet {
  if (available.size < count) throw new Error('not enough cpus available to satisfy request');
  const taken = new Taken(cpus, available, count);
  // A socket may have several nodes, or a node several sockets: the larger ones come first.
  const [first, second]: [Level, Level] =
    numbersOf(cpus, 'socket').length >= numbersOf(cpus, 'node').length ? ['node', 'socket'] : ['socket', 'node'];
  taken.takeWhole([first]);
  taken.takeWhole([first, second]);
  taken.takeWhole([first, second, 'core']);
  taken.takeSingle([first, second, 'core']);
  return taken.result;
}

/** CPUs that are being chosen. */
class Taken {
  readonly result = new Set<number>();
  #left: readonly Cpu[];

  constructor(
    private readonly cpus: readonly Cpu[],
    available: CpuSet,
    private readonly count: number,
  ) {
    this.#left = cpus.filter(({ id }) => available.has(id));
  }

  get #missing(): number {
    return this.count - this.result.size;
  }

  /** Takes all of which nothing is in use, as long as it is not too much. */
  takeWhole(levels: readonly Level[]): void {
    const level = levels.at(-1) ?? 'core';
    for (const number of inOrder(this.#left, levels)) {
      const whole = this.cpus.filter((cpu) => cpu[level] === number);
      const left = this.#left.filter((cpu) => cpu[level] === number);
      if (left.length === whole.length && whole.length <= this.#missing) this.#take(whole);
    }
  }

  /** Takes single CPUs until there are enough. */
  takeSingle(levels: readonly Level[]): void {
    for (const core of inOrder(this.#left, levels))
      for (const cpu of this.#left.filter((each) => each.core === core)) if (this.#missing > 0) this.#take([cpu]);
  }

  #take(cpus: readonly Cpu[]): void {
    for (const { id } of cpus) this.result.add(id);
    this.#left = this.#left.filter(({ id }) => !this.result.has(id));
  }
}

const numbersOf = (cpus: readonly Cpu[], level: Level): number[] => [...new Set(cpus.map((cpu) => cpu[level]))];

/** Returns the numbers of the last level, those of each higher one together; fewer CPUs come before more. */
function inOrder(cpus: readonly Cpu[], [level = 'core', ...below]: readonly Level[]): number[] {
  const groups = numbersOf(cpus, level).map((number) => ({ number, own: cpus.filter((cpu) => cpu[level] === number) }));
  groups.sort((a, b) => a.own.length - b.own.length || a.number - b.number);
  return below.length === 0 ? groups.map(({ number }) => number) : groups.flatMap(({ own }) => inOrder(own, below));
}
