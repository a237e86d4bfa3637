import type { Names } from '@orch/machinery';
import {
  ACTION,
  type ClusterObjects,
  type ClusterView,
  type CountsByNode,
  type LabelSet,
  NodeInfo,
  type PlacedTerm,
  type PodCondition,
  type PodInfo,
} from '@orch/scheduler-plugins';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import { ImageCounts } from './image-counts.js';
import { nodeChanges } from './node-changes.js';
import { NodeDomains } from './node-domains.js';
import { NodeOrder, zonesBy } from './node-order.js';
import { PlacedTerms, type TermKind } from './placed-terms.js';
import { PodCounts } from './pod-counts.js';

interface PlacedPod {
  readonly info: PodInfo;
  readonly node: NodeInfo;
  /** Whether the pod was put there by this scheduler, and the API has not shown it there yet. */
  readonly isAssumed: boolean;
}

const NO_LABELS: LabelSet = {};

/** Nodes and the pods on them, as the API shows them and as this scheduler has decided since. */
export class ClusterState implements ClusterView {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #placed = new Map<string, PlacedPod>();
  readonly #order = new NodeOrder();
  readonly #images = new ImageCounts();
  /** Counts nodes that have come, gone, or got other labels. */
  #revision = 0;
  readonly #terms = new PlacedTerms(() => this.#revision);
  readonly #counts = new PodCounts(
    () => this.#placed.values(),
    () => this.#revision,
  );
  readonly #domains = new NodeDomains(
    () => this.nodes,
    () => this.#revision,
  );

  readonly #zoneOf: (node: Node) => string;

  constructor(
    readonly objects: ClusterObjects,
    names: Names,
  ) {
    this.#zoneOf = zonesBy(names);
  }

  get nodes(): readonly NodeInfo[] {
    return this.#order.nodes;
  }

  /** Number of pods on nodes, and of those among them that are assumed. */
  get sizes(): { readonly nodes: number; readonly pods: number; readonly assumedPods: number } {
    let assumedPods = 0;
    for (const { isAssumed } of this.#placed.values()) if (isAssumed) assumedPods++;
    return { nodes: this.nodes.length, pods: this.#placed.size, assumedPods };
  }

  node(name: string): NodeInfo | undefined {
    const node = this.#nodes.get(name);
    return node?.isKnown ? node : undefined;
  }

  namespaceLabels(name: string): LabelSet {
    return this.objects.namespaces.get(name)?.metadata?.labels ?? NO_LABELS;
  }

  podCounts(conditions: readonly PodCondition[], withTerminating: boolean): CountsByNode {
    return this.#counts.of(conditions, withTerminating);
  }

  placedTerms(kind: TermKind): Iterable<PlacedTerm> {
    return this.#terms.of(kind);
  }

  domains(label: string, needed: readonly string[]): ReadonlySet<string> {
    return this.#domains.of(label, needed);
  }

  nodesWithImage(name: string): number {
    return this.#images.of(name);
  }

  /** Adds a node, or replaces it. @returns bits of what has changed, see {@link ACTION}; 0 for nothing that matters */
  setNode(object: Node): number {
    const name = object.metadata?.name ?? '';
    const node = this.#nodeInfo(name);
    const before = node.isKnown ? node.node : undefined;
    const images = node.images;
    const changes = before === undefined ? ACTION.add : nodeChanges(before, object);
    node.setNode(object);
    if ((changes & (ACTION.add | ACTION.updateLabels)) !== 0) this.#revision++;
    if (images !== node.images) this.#images.change(images.keys(), node.images.keys());
    this.#order.move(node, before && this.#zoneOf(before), this.#zoneOf(object));
    return changes;
  }

  /** Removes a node; pods that are still on it are remembered. */
  removeNode(name: string): void {
    const node = this.node(name);
    if (!node) return;
    this.#order.move(node, this.#zoneOf(node.node), undefined);
    this.#images.change(node.images.keys(), []);
    node.setNode({});
    this.#revision++;
    this.#dropIfEmpty(node);
  }

  /** Puts a pod on a node, as the API shows it, in place of where it was assumed. */
  setPod(info: PodInfo, nodeName: string): void {
    this.#place(info, nodeName, false);
  }

  /** Follows a new state of a pod on a node that asks for nothing else than before. */
  refreshPod(pod: Pod): void {
    const placed = this.#placed.get(pod.metadata?.uid ?? '');
    if (placed) placed.info.pod = pod;
  }

  /** Puts a pod on a node that was chosen for it. */
  assume(info: PodInfo, nodeName: string): void {
    this.#place(info, nodeName, true);
  }

  /** Takes a pod away that was assumed and not bound. */
  forget(uid: string): void {
    if (this.isAssumed(uid)) this.removePod(uid);
  }

  /** Whether a pod is assumed, and not yet shown by the API. */
  isAssumed(uid: string): boolean {
    return this.#placed.get(uid)?.isAssumed === true;
  }

  /** Returns the name of the node that a pod is on; undefined for none. */
  nodeOf(uid: string): string | undefined {
    return this.#placed.get(uid)?.node.name;
  }

  /** Takes a pod away, if it is on a node. */
  removePod(uid: string): void {
    const placed = this.#placed.get(uid);
    if (!placed) return;
    this.#placed.delete(uid);
    placed.node.removePod(uid);
    this.#terms.change(placed.info, placed.node, -1);
    this.#counts.change(placed.info, placed.node, -1);
    this.#dropIfEmpty(placed.node);
  }

  #place(info: PodInfo, nodeName: string, isAssumed: boolean): void {
    this.removePod(info.uid);
    const node = this.#nodeInfo(nodeName);
    this.#placed.set(info.uid, { info, node, isAssumed });
    node.addPod(info);
    this.#terms.change(info, node, 1);
    this.#counts.change(info, node, 1);
  }

  #nodeInfo(name: string): NodeInfo {
    const node = this.#nodes.get(name) ?? new NodeInfo(name);
    this.#nodes.set(name, node);
    return node;
  }

  #dropIfEmpty(node: NodeInfo): void {
    if (!node.isKnown && node.podCount === 0) this.#nodes.delete(node.name);
  }
}
