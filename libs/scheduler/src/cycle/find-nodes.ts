import { Slices } from '@orch/runtime/work';
import type { ClusterView, NodeInfo, Rejection } from '@orch/scheduler-plugins';
import type { Extenders } from '../extenders/extenders.js';
import type { FilterEvaluation } from './filter-evaluation.js';

/** Least number of nodes that are found where there are as many. */
const LEAST_TO_FIND = 100;
/** Least percentage of nodes that are found. */
const LEAST_PERCENT = 5;
/** Number of nodes after which the search looks whether others wait for their turn. */
const NODES_OF_SLICE = 16;

/** Nodes that a pod can be on, and why it cannot be on others that were looked at. */
interface FoundNodes {
  readonly feasible: readonly NodeInfo[];
  readonly rejections: ReadonlyMap<NodeInfo, Rejection>;
}

/** Returns the number of nodes that are looked for; the search ends with it. @param percentage 0: by the number of nodes */
export function nodesToFind(nodes: number, percentage: number): number {
  if (nodes < LEAST_TO_FIND) return nodes;
  const share = percentage > 0 ? percentage : Math.max(LEAST_PERCENT, 50 - Math.trunc(nodes / 125));
  return Math.max(LEAST_TO_FIND, Math.trunc((nodes * share) / 100));
}

/** Finds the nodes that pods can be on. Searches begin where the one before ended, so that all nodes get pods. */
export class NodeFinder {
  #start = 0;

  /** @param extenders services that may reject nodes as well */
  constructor(
    private readonly view: ClusterView,
    private readonly extenders?: Extenders,
  ) {}

  /** Finds nodes for a pod: the one that it is nominated for alone, if that is possible. */
  async find(evaluation: FilterEvaluation, percentage: number): Promise<FoundNodes> {
    const rejections = new Map<NodeInfo, Rejection>();
    const nominated = this.view.node(evaluation.pod.pod.status?.nominatedNodeName ?? '');
    if (nominated) {
      const rejection = evaluation.filter(nominated);
      const feasible = rejection ? [] : await this.#extended(evaluation, [nominated], rejections);
      if (feasible.length > 0) return { feasible, rejections };
      if (rejection) rejections.set(nominated, rejection);
    }
    const found = await this.#search(evaluation, this.#candidates(evaluation), percentage, rejections);
    return { feasible: await this.#extended(evaluation, found, rejections), rejections };
  }

  /** Returns the nodes that extenders do not reject. */
  async #extended(
    { pod }: FilterEvaluation,
    nodes: readonly NodeInfo[],
    rejections: Map<NodeInfo, Rejection>,
  ): Promise<readonly NodeInfo[]> {
    return this.extenders ? this.extenders.filter(pod, nodes, rejections) : nodes;
  }

  #candidates({ candidates }: FilterEvaluation): readonly NodeInfo[] {
    const { view } = this;
    if (!candidates) return view.nodes;
    return [...candidates].flatMap((name) => view.node(name) ?? []);
  }

  async #search(
    evaluation: FilterEvaluation,
    nodes: readonly NodeInfo[],
    percentage: number,
    rejections: Map<NodeInfo, Rejection>,
  ): Promise<readonly NodeInfo[]> {
    const wanted = nodesToFind(nodes.length, percentage);
    const feasible: NodeInfo[] = [];
    const slices = new Slices();
    let visited = 0;
    for (; visited < nodes.length && feasible.length < wanted; visited++) {
      const node = nodes[(this.#start + visited) % nodes.length] as NodeInfo;
      const rejection = evaluation.filter(node);
      if (rejection) rejections.set(node, rejection);
      else feasible.push(node);
      // To look at the time costs as much as to look at a node.
      const pause = visited % NODES_OF_SLICE === 0 ? slices.between() : undefined;
      if (pause) await pause;
    }
    this.#start = (this.#start + visited) % Math.max(1, this.view.nodes.length);
    return feasible;
  }
}
