import type {
  ClusterView,
  FilterPlugin,
  HypotheticalFilter,
  NodeInfo,
  PluginReservation,
  PodFilter,
  PodInfo,
  Rejection,
} from '@orch/scheduler-plugins';

/** A filter with the name of its plugin, and how often it was asked. */
interface NamedFilter {
  readonly plugin: string;
  readonly filter: PodFilter;
  runs: number;
}

/** Filters of a pod on one node, as if other pods had been added to it or removed. */
class Trial {
  constructor(
    private readonly node: NodeInfo,
    private readonly filters: readonly NamedFilter[],
    private readonly forked: readonly (PodFilter | HypotheticalFilter)[] = filters.map(({ filter }) => filter),
  ) {}

  /** Pods on the node now. */
  get pods(): Iterable<PodInfo> {
    return this.node.pods;
  }

  /** Returns why the pod cannot be on the node; undefined where it can. */
  filter(): Rejection | undefined {
    return firstRejection(this.filters, this.node, this.forked);
  }

  /** Returns a copy to be changed. */
  fork(): Trial {
    return new Trial(
      this.node.fork(),
      this.filters,
      this.forked.map((filter) => filter.fork?.() ?? filter),
    );
  }

  /** Adds a pod to the node. */
  addPod(pod: PodInfo): void {
    this.node.addPod(pod);
    for (const filter of this.forked) if ('addPod' in filter) filter.addPod(pod, this.node);
  }

  /** Removes a pod from the node. */
  removePod(pod: PodInfo): void {
    this.node.removePod(pod.uid);
    for (const filter of this.forked) if ('removePod' in filter) filter.removePod(pod, this.node);
  }
}

/** Returns the first rejection. @param copies of the filters, which are asked in their place */
function firstRejection(
  filters: readonly NamedFilter[],
  node: NodeInfo,
  copies?: readonly PodFilter[],
): Rejection | undefined {
  for (let at = 0; at < filters.length; at++) {
    const named = filters[at] as NamedFilter;
    named.runs++;
    const rejection = (copies?.[at] ?? named.filter).filter(node);
    if (rejection) return rejection;
  }
  return undefined;
}

/** Filters of a profile, prepared for one pod. */
export class FilterEvaluation {
  private constructor(
    /** The pod. */
    readonly pod: PodInfo,
    private readonly filters: readonly NamedFilter[],
    /** Names of the only nodes that can be chosen; undefined for all. */
    readonly candidates: ReadonlySet<string> | undefined,
    private readonly nominated: (node: string) => Iterable<PodInfo> | undefined,
  ) {}

  /**
   * Prepares the filters. @param nominated pods that are nominated for a node; undefined for none @returns why the pod can be on no node
   * @throws Error where a plugin cannot judge
   */
  static prepare(
    pod: PodInfo,
    plugins: readonly FilterPlugin[],
    view: ClusterView,
    nominated: (node: string) => Iterable<PodInfo> | undefined,
  ): FilterEvaluation | Rejection {
    const filters: NamedFilter[] = [];
    const narrowing: string[] = [];
    let candidates: ReadonlySet<string> | undefined;
    for (const plugin of plugins) {
      const prepared = plugin.prepare(pod, view);
      if (prepared === undefined) continue;
      if ('reasons' in prepared) return prepared;
      filters.push({ plugin: plugin.name, filter: prepared, runs: 0 });
      if (!prepared.candidates) continue;
      narrowing.push(plugin.name);
      candidates = intersection(candidates, prepared.candidates);
      if (candidates.size === 0) return noCandidates(narrowing);
    }
    return new FilterEvaluation(pod, filters, candidates, nominated);
  }

  /** How often each filter was asked so far, by the name of its plugin. */
  get runs(): Iterable<Pick<NamedFilter, 'plugin' | 'runs'>> {
    return this.filters;
  }

  /**
   * Returns why the pod cannot be on a node; undefined where it can. Pods of at least its priority that wait for their
   * victims to leave the node count, and it must fit without them too: they may go elsewhere.
   */
  filter(node: NodeInfo): Rejection | undefined {
    // Most nodes have no such pods: nothing is made for them.
    const nominated = this.nominated(node.name);
    if (!nominated) return firstRejection(this.filters, node);
    return this.#withNominated(new Trial(node, this.filters), nominated);
  }

  /** Returns the result of {@link filter} after changes to the pods on the node. */
  filterTrial(trial: Trial, node: NodeInfo): Rejection | undefined {
    return this.#withNominated(trial, this.nominated(node.name) ?? []);
  }

  /** Returns the filters on a copy of a node. */
  trial(node: NodeInfo): Trial {
    return new Trial(node, this.filters).fork();
  }

  /** Reserves what the pod needs on a node. */
  reserve(node: NodeInfo): readonly PluginReservation[] {
    const reservations: PluginReservation[] = [];
    try {
      for (const { filter } of this.filters) {
        const reservation = filter.reserve?.(node);
        if (reservation) reservations.unshift(reservation);
      }
    } catch (error) {
      for (const reservation of reservations) reservation.undo();
      throw error;
    }
    return reservations;
  }

  #withNominated(trial: Trial, nominated: Iterable<PodInfo>): Rejection | undefined {
    let withThem: Trial | undefined;
    for (const pod of nominated) {
      if (pod.priority < this.pod.priority || pod.uid === this.pod.uid) continue;
      withThem ??= trial.fork();
      withThem.addPod(pod);
    }
    return withThem?.filter() ?? trial.filter();
  }
}

function intersection(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): ReadonlySet<string> {
  return a === undefined ? b : new Set([...a].filter((name) => b.has(name)));
}

function noCandidates(plugins: readonly string[]): Rejection {
  const reason =
    plugins.length > 1
      ? `node(s) didn't satisfy plugin(s) [${plugins.join(' ')}] simultaneously`
      : `node(s) didn't satisfy plugin ${plugins.join()}`;
  return { plugin: plugins.join(), reasons: [reason], isResolvable: false };
}
