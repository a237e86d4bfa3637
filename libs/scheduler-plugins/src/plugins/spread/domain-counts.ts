interface Lowest {
  readonly domain: string;
  readonly count: number;
}

const NONE: Lowest = { domain: '', count: Number.POSITIVE_INFINITY };

/** Numbers of pods by domain (value of a label of nodes), and the lowest of them. */
export class DomainCounts {
  /** The two domains with the lowest numbers: enough to follow changes of one domain. */
  #lowest: readonly [Lowest, Lowest];

  /**
   * @param domains all domains @param counts numbers of those that have pods; both are shared with copies, and not to be changed while
   * this is used
   */
  constructor(
    private readonly domains: ReadonlySet<string>,
    private readonly counts: ReadonlyMap<string, number>,
    lowest = lowestTwo(domains, counts),
    private readonly changes = new Map<string, number>(),
  ) {
    this.#lowest = lowest;
  }

  /** Number of domains. */
  get size(): number {
    return this.domains.size;
  }

  /** The lowest number of any domain; infinite where there is none. */
  get min(): number {
    return this.#lowest[0].count;
  }

  /** Returns the number of a domain. */
  of(domain: string): number {
    const count = this.counts.get(domain) ?? 0;
    return this.changes.size === 0 ? count : count + (this.changes.get(domain) ?? 0);
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
    return new DomainCounts(this.domains, this.counts, this.#lowest, new Map(this.changes));
  }
}

function lowestTwo(domains: ReadonlySet<string>, counts: ReadonlyMap<string, number>): readonly [Lowest, Lowest] {
  let [first, second] = [NONE, NONE];
  for (const domain of domains) {
    const count = counts.get(domain) ?? 0;
    if (count < first.count) [first, second] = [{ domain, count }, first];
    else if (count < second.count) second = { domain, count };
    // Where each node is a domain, there are thousands, most of them without pods.
    if (second.count === 0) break;
  }
  return [first, second];
}
