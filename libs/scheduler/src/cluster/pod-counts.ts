import { type CountsByNode, meetsAll, type NodeInfo, type PodCondition, type PodInfo } from '@orch/scheduler-plugins';

/** The largest number of sets of conditions that are counted all the time. */
const MAX_COUNTED = 256;
/** Characters of conditions that are counted all the time: each pod that comes or goes is compared with them. */
const LONGEST_COUNTED = 4_096;

interface Counted {
  readonly conditions: readonly PodCondition[];
  readonly withTerminating: boolean;
  readonly counts: Map<NodeInfo, number>;
}

/**
 * Numbers of pods by node that meet conditions. What was asked for once is kept up to date with each pod, so that a pod
 * like the one before is judged without a look at all pods.
 */
export class PodCounts {
  /** Counts by their conditions; the last used stand last. */
  readonly #counted = new Map<string, Counted>();

  /** @param placed all pods that are on nodes, for conditions that are new */
  constructor(private readonly placed: () => Iterable<{ readonly info: PodInfo; readonly node: NodeInfo }>) {}

  /** Returns the number of pods by node that meet all conditions. @param withTerminating whether those being deleted count */
  of(conditions: readonly PodCondition[], withTerminating: boolean): CountsByNode {
    const id = idOf(conditions, withTerminating);
    if (id.length > LONGEST_COUNTED) return this.#count({ conditions, withTerminating, counts: new Map() }).counts;
    const counted = this.#counted.get(id) ?? this.#count({ conditions, withTerminating, counts: new Map() });
    this.#counted.delete(id);
    this.#counted.set(id, counted);
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > MAX_COUNTED && oldest !== undefined) this.#counted.delete(oldest);
    return counted.counts;
  }

  /** A pod has been added to a node, or removed from it. */
  change(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    for (const counted of this.#counted.values()) if (counts(counted, pod)) addTo(counted.counts, node, by);
  }

  #count(counted: Counted): Counted {
    for (const { info, node } of this.placed()) if (counts(counted, info)) addTo(counted.counts, node, 1);
    return counted;
  }
}

function idOf(conditions: readonly PodCondition[], withTerminating: boolean): string {
  const parts = conditions.map(
    ({ namespaces, selector }) => `${namespaces ? [...namespaces].sort().join() : '*'}|${selector.canonical}`,
  );
  return `${withTerminating}|${parts.join('|')}`;
}

function counts({ conditions, withTerminating }: Counted, pod: PodInfo): boolean {
  return (withTerminating || !pod.isTerminating) && meetsAll(conditions, pod);
}

/** Changes the number of a node; one that comes to 0 is left out. */
export function addTo(counts: Map<NodeInfo, number>, node: NodeInfo, by: number): void {
  const count = (counts.get(node) ?? 0) + by;
  if (count === 0) counts.delete(node);
  else counts.set(node, count);
}
