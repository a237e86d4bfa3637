import { isDeepStrictEqual } from 'node:util';
import type { Node } from '@orch/schema/types/core/v1';
import { ownLabels } from './affinity-term.js';
import { amountOf, RequestAmounts } from './amounts.js';
import { HostPorts } from './host-ports.js';
import type { PodInfo } from './pod-info.js';

const NO_IMAGES: ReadonlyMap<string, number> = new Map();

/** A node and the pods on it, with their sums. */
export class NodeInfo {
  /** Amounts that pods may take up. */
  allocatable = new RequestAmounts();
  /** Number of pods that the node takes. */
  maxPods = 0;
  /** Labels of the node. */
  labels = ownLabels(undefined);
  /** Number of pods on the node: a field, as it is asked for each time that the node is looked at. */
  podCount = 0;
  /** Sum of what its pods ask for. */
  requested = new RequestAmounts();
  /** Sum of what its pods ask for as it is scored. */
  scoredRequested = new RequestAmounts();
  /** Ports of the node that its pods have taken. */
  readonly ports = new HostPorts();
  /** Sizes of its images in bytes, by each of their names. */
  images = NO_IMAGES;
  readonly #pods = new Map<string, PodInfo>();
  /** Number of pods on the node by the claim that they use, as `namespace/name`. */
  readonly #claims = new Map<string, number>();
  #node: Node = {};

  constructor(
    /** Name of the node. */
    readonly name: string,
  ) {}

  /** The object; one without metadata where pods are known on a node that is not. */
  get node(): Node {
    return this.#node;
  }

  /** Whether the node itself is known, and not only pods on it. */
  get isKnown(): boolean {
    return this.#node.metadata !== undefined;
  }

  /** Pods on the node, in no order. */
  get pods(): Iterable<PodInfo> {
    return this.#pods.values();
  }

  /** Returns the number of pods on the node that use a claim, `namespace/name`. */
  usersOf(claim: string): number {
    return this.#claims.get(claim) ?? 0;
  }

  /** Replaces the object; an empty one where the node is gone. What has not changed is not read again. @throws QuantityError */
  setNode(node: Node): void {
    const before = this.#node.status;
    const { allocatable, images } = node.status ?? {};
    // First: a node that cannot be read stays what it was.
    if (!isDeepStrictEqual(allocatable, before?.allocatable)) {
      const maxPods = allocatable?.pods === undefined ? 0 : amountOf('pods', allocatable.pods);
      [this.allocatable, this.maxPods] = [RequestAmounts.of(allocatable), maxPods];
    }
    this.#node = node;
    this.labels = ownLabels(node.metadata?.labels);
    if (!isDeepStrictEqual(images, before?.images)) this.images = imagesOf(node);
  }

  /** Adds a pod, or replaces the one of its uid. */
  addPod(pod: PodInfo): void {
    this.removePod(pod.uid);
    this.#pods.set(pod.uid, pod);
    this.podCount = this.#pods.size;
    this.requested.add(pod.requests);
    this.scoredRequested.add(pod.scoredRequests);
    for (const port of pod.ports) this.ports.add(port);
    for (const claim of pod.claims) this.#countClaim(`${pod.namespace}/${claim}`, 1);
  }

  /** Removes the pod of a uid, if it is there. */
  removePod(uid: string): void {
    const pod = this.#pods.get(uid);
    if (!pod) return;
    this.#pods.delete(uid);
    this.podCount = this.#pods.size;
    this.requested = this.#without(this.requested, pod, 'requests');
    this.scoredRequested = this.#without(this.scoredRequested, pod, 'scoredRequests');
    for (const port of pod.ports) this.ports.remove(port);
    for (const claim of pod.claims) this.#countClaim(`${pod.namespace}/${claim}`, -1);
  }

  /** Returns a copy, to try what other pods on the node would make possible. */
  fork(): NodeInfo {
    const fork = new NodeInfo(this.name);
    fork.#node = this.#node;
    fork.labels = this.labels;
    [fork.allocatable, fork.maxPods, fork.images] = [this.allocatable, this.maxPods, this.images];
    for (const pod of this.#pods.values()) fork.addPod(pod);
    return fork;
  }

  /** Returns a sum without a pod that is gone; added up anew where it was too large to be exact. */
  #without(sum: RequestAmounts, gone: PodInfo, kind: 'requests' | 'scoredRequests'): RequestAmounts {
    if (sum.isExact) {
      sum.subtract(gone[kind]);
      return sum;
    }
    const left = new RequestAmounts();
    for (const pod of this.#pods.values()) left.add(pod[kind]);
    return left;
  }

  #countClaim(claim: string, by: 1 | -1): void {
    const count = this.usersOf(claim) + by;
    if (count > 0) this.#claims.set(claim, count);
    else this.#claims.delete(claim);
  }
}

function imagesOf({ status }: Node): ReadonlyMap<string, number> {
  const images = new Map<string, number>();
  for (const { names = [], sizeBytes = 0 } of status?.images ?? [])
    for (const name of names) images.set(name, Number(sizeBytes));
  return images.size === 0 ? NO_IMAGES : images;
}
