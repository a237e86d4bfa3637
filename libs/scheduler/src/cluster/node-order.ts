import type { Names } from '@orch/machinery';
import type { NodeInfo } from '@orch/scheduler-plugins';
import type { Node } from '@orch/schema/types/core/v1';

/** Returns a function that tells the region and zone of a node as one text; empty where it has neither. */
export function zonesBy(names: Names): (node: Node) => string {
  const keys = ['region', 'zone'].map((kind) => [
    names.key(`topology.orch.io/${kind}`),
    names.key(`failure-domain.beta.orch.io/${kind}`),
  ]);
  return ({ metadata }) => {
    const labels = metadata?.labels ?? {};
    const [region = '', zone = ''] = keys.map(([name = '', older = '']) => labels[name] ?? labels[older]);
    return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
  };
}

/** Nodes in the order in which they are looked at: zones take turns, so that no zone is filled first. */
export class NodeOrder {
  readonly #zones = new Map<string, Set<NodeInfo>>();
  #ordered: readonly NodeInfo[] | undefined;

  /** All nodes, in order. */
  get nodes(): readonly NodeInfo[] {
    this.#ordered ??= this.#interleaved();
    return this.#ordered;
  }

  /** Moves a node from a zone to another; undefined for none. */
  move(node: NodeInfo, from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    if (from !== undefined) this.#remove(node, from);
    if (to !== undefined) this.#zones.set(to, (this.#zones.get(to) ?? new Set<NodeInfo>()).add(node));
    this.#ordered = undefined;
  }

  #remove(node: NodeInfo, zone: string): void {
    const nodes = this.#zones.get(zone);
    nodes?.delete(node);
    if (nodes?.size === 0) this.#zones.delete(zone);
  }

  #interleaved(): readonly NodeInfo[] {
    const ordered: NodeInfo[] = [];
    let left = [...this.#zones.values()].map((nodes) => nodes.values());
    while (left.length > 0) {
      left = left.filter((nodes) => {
        const next = nodes.next();
        if (!next.done) ordered.push(next.value);
        return !next.done;
      });
    }
    return ordered;
  }
}
