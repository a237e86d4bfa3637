interface Lowest {
  readonly domain: string;
  readonly count: number;
}

const NONE: Lowest = { domain: '', count: Number.POSITIVE_INFINITY };

/** Numbers of pods by domain (value of a label of nodes), and the lowest of them. */
export class DomainCounts {
  /** The two domains with the lowest numbers: enough to follow changes of one domain. */
  #lowest: readonly [Lowest, Lowest];

  /** @param counts shared with copies, not to be changed any more */
  constructor(
    private readonly counts: ReadonlyMap<string, number>,
    lowest = lowestTwo(counts),
    private readonly changes = new Map<string, number>(),
  ) {
    this.#lowest = lowest;
  }

  /** Number of domains. */
  get size(): number {
    return this.counts.size;
  }

  /** The lowest number of any domain; infinite where there is none. */
  get min(): number {
    return this.#lowest[0].count;
  }

  /** Returns the number of a domain. */
  of(domain: string): number {
    return (this.counts.get(domain) ?? 0) + (this.changes.get(domain) ?? 0);
  }

  /** Changes the number of a domain. Only one domain of a copy may be changed: {@link min} is wrong otherwise. */
  add(domain: string, by: number): void {
    this.changes.set(domain, (this.changes.get(domain) ?? 0) + by);
    const changed = { domain, count: this.of(domain) };
    const others = this.#lowest.filter((lowest) => lowest.domain !== domain);
    const [first = NONE, second = NONE] = [...others, changed].sort((a, b) => a.count - b.count);
    this.#lowest = [first, second];
  }

  /** Returns a copy with changes of its own. */
  fork(): DomainCounts {
    return new DomainCounts(this.counts, this.#lowest, new Map(this.changes));
  }
}

function lowestTwo(counts: ReadonlyMap<string, number>): readonly [Lowest, Lowest] {
  let [first, second] = [NONE, NONE];
  for (const [domain, count] of counts) {
    if (count < first.count) [first, second] = [{ domain, count }, first];
    else if (count < second.count) second = { domain, count };
  }
  return [first, second];
}
