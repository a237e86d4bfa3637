/** Defects that a process can be given for the negative controls of the fault tests. */
export const FAILPOINTS = ['no-heal', 'bookmark-before-flush', 'publish-before-commit', 'believe-bus'] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

/** @throws RangeError for a name that is none */
export function failpoints(names: readonly string[]): ReadonlySet<Failpoint> {
  return new Set(
    names.map((name) => {
      const known = FAILPOINTS.find((failpoint) => failpoint === name);
      if (known === undefined) throw new RangeError(`--failpoints: ${name} is none of ${FAILPOINTS.join(', ')}`);
      return known;
    }),
  );
}

/** Widens the gap that the defect opens: events are gathered for whole audiences and for long. */
export const GATHER_LONG = { watchersPerGatherMs: 0.01, maxGather: 250 } as const;
