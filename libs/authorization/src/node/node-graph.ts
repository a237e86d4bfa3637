import { type ReferencedKind, type ReferenceKey, referenceKey, type VolumeReferences } from './node-references.js';

/** Known state of a pod on a node. */
export interface NodePod {
  /** Name of its node. */
  readonly node: string;
  /** Objects that it needs. */
  readonly references: readonly ReferenceKey[];
}

/** Objects that the pods on each node need: updated as pods, volumes and attachments are added and removed. */
export class NodeGraph {
  readonly #pods = new Map<string, NodePod>();
  /** Numbers of pods that need an object, by node. */
  readonly #needed = new Map<ReferenceKey, Map<string, number>>();
  readonly #volumes = new Map<string, VolumeReferences>();
  readonly #volumesOfSecret = new Map<ReferenceKey, Set<string>>();
  readonly #attachments = new Map<string, string>();

  /**
   * Sets or replaces a pod; undefined removes it, or one without a node.
   * @returns the node that may need less after it
   */
  putPod(key: string, pod: NodePod | undefined): string | undefined {
    const before = this.#pods.get(key);
    if (before) for (const reference of before.references) this.#count(reference, before.node, -1);
    if (pod) {
      this.#pods.set(key, pod);
      for (const reference of pod.references) this.#count(reference, pod.node, 1);
    } else this.#pods.delete(key);
    return before?.node;
  }

  /**
   * Sets or replaces a volume; undefined removes it, or one that is not bound.
   * @returns whether some node may need less after it
   */
  putVolume(name: string, volume: VolumeReferences | undefined): boolean {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const known = this.#volumesOfSecret.get(secret);
      if (known?.delete(name) && known.size === 0) this.#volumesOfSecret.delete(secret);
    }
    const wasKnown = this.#volumes.delete(name);
    if (!volume) return wasKnown;
    this.#volumes.set(name, volume);
    for (const secret of volume.secrets) {
      const known = this.#volumesOfSecret.get(secret);
      if (known) known.add(name);
      else this.#volumesOfSecret.set(secret, new Set([name]));
    }
    return wasKnown;
  }

  /**
   * Sets or replaces an attachment; undefined removes it.
   * @returns the node that may need less after it
   */
  putAttachment(name: string, node: string | undefined): string | undefined {
    const before = this.#attachments.get(name);
    if (node) this.#attachments.set(name, node);
    else this.#attachments.delete(name);
    return before;
  }

  /** Whether a pod on a node needs an object, directly or by one of its volumes. */
  needs(node: string, kind: ReferencedKind, namespace: string, name: string): boolean {
    const key = referenceKey(kind, namespace, name);
    if (this.#needed.get(key)?.has(node)) return true;
    if (kind !== 'secret') return false;
    for (const volume of this.#volumesOfSecret.get(key) ?? []) if (this.needsVolume(node, volume)) return true;
    return false;
  }

  /** Whether a pod on a node has claimed a volume. */
  needsVolume(node: string, name: string): boolean {
    const volume = this.#volumes.get(name);
    return volume !== undefined && this.#needed.get(volume.claim)?.has(node) === true;
  }

  /** Whether a volume is attached to a node. */
  isAttached(node: string, name: string): boolean {
    return this.#attachments.get(name) === node;
  }

  #count(reference: ReferenceKey, node: string, by: 1 | -1): void {
    const nodes = this.#needed.get(reference) ?? new Map<string, number>();
    const count = (nodes.get(node) ?? 0) + by;
    if (count > 0) nodes.set(node, count);
    else nodes.delete(node);
    if (nodes.size > 0) this.#needed.set(reference, nodes);
    else this.#needed.delete(reference);
  }
}
