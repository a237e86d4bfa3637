import { namesOf } from '@orch/machinery';
import { ManualClock, ManualInformer } from '@orch/runtime/testing';
import {
  type ClusterObjects,
  type ClusterView,
  NodeInfo,
  type PodInfo,
  podInfoOf,
  VolumeContext,
  type VolumeNames,
  type VolumeWriter,
  volumeNamesOf,
} from '@orch/scheduler-plugins';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@orch/schema/types/core/v1';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '@orch/schema/types/storage/v1';
import { NodeCounts } from '../cluster/node-counts.js';

const none = <T>() => new ManualInformer<T>();

/** Nodes, volumes and claims for tests, and an API that writes to them at once. */
export class VolumeCluster implements VolumeWriter {
  readonly names: VolumeNames = volumeNamesOf(namesOf('kubernetes'));
  readonly clock = new ManualClock();
  readonly pods = none<Pod>();
  readonly volumes = none<PersistentVolume>();
  readonly claims = none<PersistentVolumeClaim>();
  readonly classes = none<StorageClass>();
  readonly csiNodes = none<CSINode>();
  readonly drivers = none<CSIDriver>();
  readonly capacities = none<CSIStorageCapacity>();
  readonly nodes = new Map<string, NodeInfo>();
  /** Writes so far: `volume pv` and `claim ns/c`. */
  readonly written: string[] = [];
  /** Whether what is written is shown to informers at once. */
  isShown = true;
  /** Failures to bind volumes, by their stage. */
  readonly failures: string[] = [];
  #version = 100;

  readonly objects: ClusterObjects = {
    ...{ namespaces: none(), services: none(), replicationControllers: none() },
    ...{ replicaSets: none(), statefulSets: none() },
    persistentVolumes: this.volumes,
    persistentVolumeClaims: this.claims,
    storageClasses: this.classes,
    csiNodes: this.csiNodes,
    csiDrivers: this.drivers,
    csiStorageCapacities: this.capacities,
  };

  /** Makes the context in which volumes are bound. */
  context(): VolumeContext {
    const { objects, pods, clock } = this;
    const onFailed = (stage: string) => void this.failures.push(stage);
    return new VolumeContext({ objects, pods, clock, writer: this, names: namesOf('kubernetes'), onFailed });
  }

  /** The cluster as plugins see it. */
  get view(): ClusterView {
    const { nodes, objects } = this;
    return {
      nodes: [...nodes.values()],
      objects,
      // As in the real one, a method that does not work by itself.
      node(name) {
        return this.nodes.find((node) => node.name === name);
      },
      namespaceLabels: () => ({}),
      podCounts: () => new NodeCounts(() => 0),
      domains: () => new Set(),
      placedTerms: () => [],
      nodesWithImage: () => 0,
    };
  }

  /** Adds a node. */
  node(name: string, labels: Record<string, string> = {}, allocatable: Record<string, string> = {}): NodeInfo {
    const node = this.nodes.get(name) ?? new NodeInfo(name);
    node.setNode({
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      status: { allocatable },
    });
    this.nodes.set(name, node);
    return node;
  }

  /** Adds a pod of the namespace `ns` with volumes; texts are names of claims. */
  pod(name: string, ...volumes: readonly (string | Volume)[]): PodInfo {
    const pod: Pod = {
      metadata: { name, namespace: 'ns', uid: `uid-${name}` },
      spec: {
        volumes: volumes.map((each, i) =>
          typeof each === 'string' ? { name: `v${i}`, persistentVolumeClaim: { claimName: each } } : each,
        ),
      },
    };
    this.pods.put(`ns/${name}`, pod);
    return podInfoOf(pod);
  }

  /** Adds a class; claims of it wait for a pod. */
  storageClass(name: string, more: StorageClass = {}): void {
    const provisioner = 'kubernetes.io/no-provisioner';
    this.classes.put(name, {
      metadata: { name },
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
      ...more,
    });
  }

  /** Adds or replaces a volume of the class `local`, on a node where one is named. */
  volume(name: string, size: string, node?: string, more: Partial<PersistentVolume> = {}): PersistentVolume {
    const affinity = node && {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [node] }] },
        ],
      },
    };
    const volume: PersistentVolume = {
      metadata: { name, resourceVersion: String(++this.#version), ...more.metadata },
      spec: {
        capacity: { storage: size },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        ...(affinity && { nodeAffinity: affinity }),
        ...more.spec,
      },
      status: { phase: 'Available', ...more.status },
    };
    this.volumes.put(name, volume);
    return volume;
  }

  /** Adds or replaces a claim of the class `local`. */
  claim(name: string, size: string, more: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim {
    const claim: PersistentVolumeClaim = {
      metadata: {
        name,
        namespace: 'ns',
        uid: `uid-${name}`,
        resourceVersion: String(++this.#version),
        ...more.metadata,
      },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: size } },
        storageClassName: 'local',
        ...more.spec,
      },
      status: { phase: 'Pending', ...more.status },
    };
    this.claims.put(`ns/${name}`, claim);
    return claim;
  }

  /** Binds a claim from its side, as the controller of volumes does. */
  bindClaim(name: string, volumeName: string): void {
    const claim = this.claims.get(`ns/${name}`);
    const annotations = { ...claim?.metadata?.annotations, [this.names.bindCompleted]: 'yes' };
    this.claims.put(`ns/${name}`, {
      ...claim,
      metadata: { ...claim?.metadata, annotations, resourceVersion: String(++this.#version) },
      spec: { ...claim?.spec, volumeName },
      status: { phase: 'Bound' },
    });
  }

  async updateVolume(volume: PersistentVolume): Promise<PersistentVolume> {
    const name = volume.metadata?.name ?? '';
    const stored = this.#update(`volume ${name}`, volume, this.volumes.get(name));
    if (this.isShown) this.volumes.put(name, stored);
    return stored;
  }

  async updateClaim(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const key = `${claim.metadata?.namespace}/${claim.metadata?.name}`;
    const stored = this.#update(`claim ${key}`, claim, this.claims.get(key));
    if (this.isShown) this.claims.put(key, stored);
    return stored;
  }

  #update<T extends PersistentVolume | PersistentVolumeClaim>(what: string, object: T, current: T | undefined): T {
    if (object.metadata?.resourceVersion !== current?.metadata?.resourceVersion) throw new Error(`${what} has changed`);
    this.written.push(what);
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
  }
}
