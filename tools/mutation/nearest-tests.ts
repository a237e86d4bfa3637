/** Tests to run, and how many others there are. */
interface Nearest {
  /** Paths of the tests to run. */
  readonly tests: readonly string[];
  /** Number of the others. */
  readonly left: number;
}

/**
 * Chooses the tests most likely to find faults in changed files: the nearest one of each file first, then the second of
 * each, until there are enough. A changed test is its own nearest.
 * @param testsOf returns the tests related to a file, the nearest first
 */
export function nearestOf(
  changed: readonly string[],
  testsOf: (path: string) => readonly string[],
  most: number,
): Nearest {
  const isTest = (path: string) => path.endsWith('.test.ts');
  const lines = changed.filter((path) => !isTest(path)).map(testsOf);
  const chosen = new Set(changed.filter(isTest));
  const longest = Math.max(0, ...lines.map(({ length }) => length));
  for (let rank = 0; rank < longest && chosen.size < most; rank++) {
    for (const line of lines) {
      const test = line[rank];
      if (test !== undefined && chosen.size < most) chosen.add(test);
    }
  }
  const all = new Set([...chosen, ...lines.flat()]);
  return { tests: [...chosen], left: all.size - chosen.size };
}
