import type { PodInfo } from '@orch/scheduler-plugins';

/** Pods that wait for victims of preemption to leave a node, by that node. */
export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodes = new Map<string, string>();

  /** @param onFreed called when a pod gives up the room that was kept for it on a node */
  constructor(private readonly onFreed: () => void = () => undefined) {}

  /** Returns the pods that are nominated for a node; undefined for none. */
  on(node: string): Iterable<PodInfo> | undefined {
    return this.#byNode.get(node)?.values();
  }

  /** Returns the node that a pod is nominated for. */
  nodeOf(uid: string): string | undefined {
    return this.#nodes.get(uid);
  }

  /** Nominates a pod for a node, instead of any other. */
  set(pod: PodInfo, node: string): void {
    const before = this.#remove(pod.uid);
    this.#nodes.set(pod.uid, node);
    const pods = this.#byNode.get(node) ?? new Map<string, PodInfo>();
    this.#byNode.set(node, pods.set(pod.uid, pod));
    if (before !== undefined && before !== node) this.onFreed();
  }

  /**
   * Follows a new state of a pod. One that names no node keeps a nomination that the API has not shown yet.
   * @param before the node that its last state has named; empty for none
   */
  update(before: string, pod: PodInfo): void {
    const named = pod.pod.status?.nominatedNodeName ?? '';
    const node = named === '' && before === '' ? this.nodeOf(pod.uid) : named;
    if (node) this.set(pod, node);
    else this.delete(pod.uid);
  }

  /** Ends the nomination of a pod, if it has one. */
  delete(uid: string): void {
    if (this.#remove(uid) !== undefined) this.onFreed();
  }

  /** Ends the nomination of a pod that has been placed on a node. */
  placed(uid: string, node: string): void {
    const before = this.#remove(uid);
    if (before !== undefined && before !== node) this.onFreed();
  }

  /** @returns the node that the pod was nominated for */
  #remove(uid: string): string | undefined {
    const node = this.#nodes.get(uid);
    if (node === undefined) return undefined;
    this.#nodes.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
    return node;
  }
}
