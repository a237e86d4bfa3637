import { type CountsByNode, meetsAll, type NodeInfo, type PodCondition, type PodInfo } from '@orch/scheduler-plugins';
import { NodeCounts } from './node-counts.js';

/** The largest number of sets of conditions that are counted all the time. */
const MAX_COUNTED = 256;
/** Characters of conditions that are counted all the time: each pod that comes or goes is compared with them. */
const LONGEST_COUNTED = 4_096;

interface Counted {
  readonly conditions: readonly PodCondition[];
  readonly withTerminating: boolean;
  readonly counts: NodeCounts;
}

/**
 * Numbers of pods by node that meet conditions. What was asked for once is kept up to date with each pod, so that a pod
 * like the one before is judged without a look at all pods.
 */
export class PodCounts {
  /** Counts by their conditions; the last used stand last. */
  readonly #counted = new Map<string, Counted>();

  /** @param placed all pods that are on nodes, for conditions that are new @param revision see {@link NodeCounts} */
  constructor(
    private readonly placed: () => Iterable<{ readonly info: PodInfo; readonly node: NodeInfo }>,
    private readonly revision: () => number,
  ) {}

  /** Returns the number of pods by node that meet all conditions. @param withTerminating whether those being deleted count */
  of(conditions: readonly PodCondition[], withTerminating: boolean): CountsByNode {
    const id = idOf(conditions, withTerminating);
    const fresh = () => this.#count({ conditions, withTerminating, counts: new NodeCounts(this.revision) });
    if (id.length > LONGEST_COUNTED) return fresh().counts;
    const counted = this.#counted.get(id) ?? fresh();
    this.#counted.delete(id);
    this.#counted.set(id, counted);
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > MAX_COUNTED && oldest !== undefined) this.#counted.delete(oldest);
    return counted.counts;
  }

  /** A pod has been added to a node, or removed from it. */
  change(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    for (const counted of this.#counted.values()) if (counts(counted, pod)) counted.counts.add(node, by);
  }

  #count(counted: Counted): Counted {
    for (const { info, node } of this.placed()) if (counts(counted, info)) counted.counts.add(node, 1);
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
