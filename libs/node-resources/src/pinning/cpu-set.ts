/** Numbers of CPUs or of NUMA nodes. */
export type CpuSet = ReadonlySet<number>;

/** Parses a list as the kernel writes it: `0-3,8`. @throws Error for another text */
export function parseCpuSet(text: string): CpuSet {
  const found = new Set<number>();
  for (const part of text.trim().split(',')) {
    if (part.trim() === '') continue;
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (first === undefined || Number(first) > Number(last))
      throw new Error(`${JSON.stringify(text)} is not a list of CPUs`);
    for (let cpu = Number(first); cpu <= Number(last); cpu++) found.add(cpu);
  }
  return found;
}

/** Writes a set as the kernel does, in ascending order. */
export function formatCpuSet(cpus: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const cpu of [...cpus].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && range[1] === cpu - 1) range[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

/** Returns what is in any of the sets. */
export const union = (...sets: readonly Iterable<number>[]): CpuSet => new Set(sets.flatMap((set) => [...set]));

/** Returns what is in the first set and not in the second. */
export const difference = (all: Iterable<number>, without: CpuSet): CpuSet =>
  new Set([...all].filter((cpu) => !without.has(cpu)));
