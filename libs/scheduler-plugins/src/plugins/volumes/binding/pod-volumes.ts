import type { PersistentVolume, PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import type { ClusterView } from '../../../framework/cluster-view.js';
import type { NodeInfo } from '../../../framework/node-info.js';
import type { PodInfo } from '../../../framework/pod-info.js';
import { claimUsesOf } from '../pod-claims.js';
import { claimClass, isFullyBound } from '../volume-names.js';
import { ClaimToProvision } from './provisioning.js';
import { affinityProblem, hostsOf } from './volume-affinity.js';
import { requestedStorage, VolumeCandidates } from './volume-candidates.js';
import type { VolumeContext } from './volume-context.js';

/** Reasons why a node cannot have the volumes of a pod. */
const NODE_CONFLICT = 'node(s) had volume node affinity conflict';
const BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
const NO_SPACE = 'node(s) did not have enough free storage';
const NO_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** A claim and the volume that was found for it. */
export interface StaticBinding {
  /** The claim. */
  readonly claim: PersistentVolumeClaim;
  /** The volume. */
  readonly volume: PersistentVolume;
}

/** Work that is to be done for the claims of a pod on a node. */
export interface NodeVolumes {
  /** Claims for which there is a volume. */
  readonly bindings: readonly StaticBinding[];
  /** Claims whose volumes are to be made. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

interface DelayedClaim {
  readonly claim: PersistentVolumeClaim;
  readonly candidates: VolumeCandidates;
}

/** The claims of a pod, with what does not depend on the node. */
export class PodVolumes {
  /** Volumes of bound claims; undefined for one that does not exist. */
  readonly #bound: (PersistentVolume | undefined)[] = [];
  /** Claims that are bound once the node is known, the smallest first. */
  readonly #delayed: DelayedClaim[] = [];
  /** Claims whose volume is already being made, for a node. */
  readonly #selected: PersistentVolumeClaim[] = [];
  readonly #provisions = new Map<PersistentVolumeClaim, ClaimToProvision>();
  #waits = false;

  /** @throws Error for a class that does not say when its volumes are bound, and for claims that cannot be parsed */
  constructor(
    pod: PodInfo,
    private readonly context: VolumeContext,
  ) {
    for (const { name } of claimUsesOf(pod.pod)) this.#add(context.claims.get(`${pod.namespace}/${name}`));
    this.#delayed.sort((a, b) => requestedStorage(a.claim).compare(requestedStorage(b.claim)));
  }

  /** Whether a claim must be bound first, by others. */
  get waitsForImmediate(): boolean {
    return this.#waits;
  }

  /** Whether all claims are bound. */
  get isBound(): boolean {
    return this.#delayed.length === 0 && this.#selected.length === 0 && !this.#waits;
  }

  /** Returns the names of the only nodes that have the volumes; undefined where others may have them. */
  candidates(view: ClusterView): ReadonlySet<string> | undefined {
    const { names } = this.context;
    const isNamed = (name: string) => view.node(name)?.labels[names.hostname] === name;
    if (this.#bound.includes(undefined)) return undefined;
    const sets = this.#bound.flatMap((volume) => (volume && hostsOf(volume, names.hostname)) ?? []);
    // Labels may differ from names; then every node is looked at.
    if (!sets.every((hosts) => [...hosts].every(isNamed))) return undefined;
    const [first, ...others] = sets;
    return first && new Set([...first].filter((name) => others.every((set) => set.has(name))));
  }

  /** Returns what is to be done on a node, or the reasons why it cannot have the volumes. @throws Error */
  on(node: NodeInfo): NodeVolumes | readonly string[] {
    const bound = this.#boundProblem(node);
    const unbound = this.#unbound(node);
    const problems = Array.isArray(unbound) ? unbound : [];
    if (bound === NO_VOLUME) return [...problems, bound];
    return bound === undefined ? unbound : [bound, ...problems];
  }

  #add(claim: PersistentVolumeClaim | undefined): void {
    // It was there when the claims were checked: it is gone, or not that of the pod; others reject the pod for that.
    if (!claim) return;
    const { names, volumes, volumesOfClass } = this.context;
    const volumeName = claim.spec?.volumeName ?? '';
    if (isFullyBound(claim, names)) this.#bound.push(volumes.get(volumeName));
    else if (volumeName !== '' || !this.#isDelayed(claim)) this.#waits = true;
    else if (claim.metadata?.annotations?.[names.selectedNode] !== undefined) this.#selected.push(claim);
    else {
      const candidates = new VolumeCandidates(claim, volumesOfClass.of(claimClass(claim, names)), names);
      this.#delayed.push({ claim, candidates });
    }
  }

  #isDelayed(claim: PersistentVolumeClaim): boolean {
    const className = claimClass(claim, this.context.names);
    const storageClass = className === '' ? undefined : this.context.objects.storageClasses.get(className);
    if (!storageClass) return false;
    const { volumeBindingMode } = storageClass;
    if (volumeBindingMode === undefined) throw new Error(`VolumeBindingMode not set for StorageClass "${className}"`);
    return volumeBindingMode === 'WaitForFirstConsumer';
  }

  #boundProblem(node: NodeInfo): string | undefined {
    const { objects, names } = this.context;
    const csiNode = this.#bound.length > 0 ? objects.csiNodes.get(node.name) : undefined;
    for (const volume of this.#bound) {
      if (!volume) return NO_VOLUME;
      if (affinityProblem(volume, node, csiNode, names) !== undefined) return NODE_CONFLICT;
    }
    return undefined;
  }

  #unbound(node: NodeInfo): NodeVolumes | string[] {
    const { selectedNode, hostname } = this.context.names;
    const isElsewhere = this.#selected.some(({ metadata }) => metadata?.annotations?.[selectedNode] !== node.name);
    if (isElsewhere) return [BIND_CONFLICT];
    const bindings: StaticBinding[] = [];
    const provisions = [...this.#selected];
    const taken = new Set<string>();
    for (const { claim, candidates } of this.#delayed) {
      const volume = candidates.find((each) => this.#isOnNode(each, node), node.labels[hostname] ?? '', taken);
      if (volume) {
        taken.add(volume.metadata?.name ?? '');
        bindings.push({ claim, volume });
      } else provisions.push(claim);
    }
    return this.#provisionProblem(provisions, node) ?? { bindings, provisions };
  }

  /** Volumes that are not bound yet are judged by what their own affinity says, whichever driver has them. */
  #isOnNode(volume: PersistentVolume, node: NodeInfo): boolean {
    return affinityProblem(volume, node, undefined, this.context.names) === undefined;
  }

  #provisionProblem(claims: readonly PersistentVolumeClaim[], node: NodeInfo): string[] | undefined {
    for (const claim of claims) {
      const provisioning = this.#provisionOf(claim).on(node);
      if (provisioning === 'unsupported') return [BIND_CONFLICT];
      if (provisioning === 'full') return [NO_SPACE];
    }
    return undefined;
  }

  #provisionOf(claim: PersistentVolumeClaim): ClaimToProvision {
    const known = this.#provisions.get(claim);
    if (known) return known;
    const provision = new ClaimToProvision(claim, this.context.objects, this.context.names);
    this.#provisions.set(claim, provision);
    return provision;
  }
}
