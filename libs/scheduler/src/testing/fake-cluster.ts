import { ManualClock, ManualInformer } from '@orch/runtime/testing';
import type { VolumeWriter } from '@orch/scheduler-plugins';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, PodSpec } from '@orch/schema/types/core/v1';
import type { SchedulerApi, SchedulerInformers, StatusPatch } from '../cycle/scheduler-api.js';
import type { PodEvent } from '../events/event-recorder.js';

type Namespaced = { readonly metadata?: { readonly namespace?: string } };
const byNamespace = { namespace: ({ metadata }: Namespaced) => [metadata?.namespace ?? ''] };
const informer = <T extends object>() => new ManualInformer<T>([], byNamespace);

/** Settings of a node in tests. */
export interface NodeSettings {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly spec?: Node['spec'];
  readonly images?: NonNullable<Node['status']>['images'];
}

/** Settings of a pod in tests. */
export interface PodSettings {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
  readonly spec?: PodSpec;
  readonly status?: Pod['status'];
  readonly ownerReferences?: NonNullable<Pod['metadata']>['ownerReferences'];
}

/** Objects of a cluster that a test puts in by hand, and an API that writes to them. */
export class FakeCluster implements SchedulerApi, VolumeWriter {
  readonly informers = {
    pods: informer<Pod>(),
    nodes: informer<Node>(),
    ...{ namespaces: informer(), services: informer(), replicationControllers: informer(), replicaSets: informer() },
    ...{ statefulSets: informer(), persistentVolumes: informer(), persistentVolumeClaims: informer() },
    ...{ storageClasses: informer(), csiNodes: informer(), csiDrivers: informer(), csiStorageCapacities: informer() },
    podDisruptionBudgets: informer(),
  } satisfies Record<keyof SchedulerInformers, ManualInformer<object>>;
  readonly clock = new ManualClock();
  readonly events: (PodEvent & { readonly pod: string })[] = [];
  /** Called before each write; what it throws is what the writer gets. */
  onWrite: (verb: 'bind' | 'patch' | 'delete', pod: string) => void | Promise<void> = () => undefined;
  #versions = 0;
  #uids = 0;

  /** Adds or replaces a node: 4 CPUs, 8 GiB, 110 pods where nothing else is said. */
  node(name: string, settings: NodeSettings = {}): Node {
    const { labels = {}, allocatable = {}, spec = {}, images } = settings;
    const node: Node = {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      spec,
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable }, ...(images && { images }) },
    };
    this.informers.nodes.put(name, node);
    return node;
  }

  /** Adds a pod. */
  pod(name: string, settings: PodSettings = {}): Pod {
    const { namespace = 'default', labels = {}, requests, spec = {}, status = {}, ownerReferences } = settings;
    const container = { name: 'c', image: 'i', ...(requests && { resources: { requests } }) };
    const pod: Pod = {
      metadata: {
        ...{ name, namespace, labels, uid: `uid-${++this.#uids}`, resourceVersion: String(++this.#versions) },
        ...(ownerReferences && { ownerReferences }),
      },
      spec: { schedulerName: 'default-scheduler', containers: [container], ...spec },
      status,
    };
    this.informers.pods.put(`${namespace}/${name}`, pod);
    return pod;
  }

  /** Changes a pod. */
  update(key: string, change: (pod: Pod) => Pod): void {
    const pod = this.informers.pods.get(key);
    if (!pod) throw new Error(`there is no pod ${key}`);
    const after = change(structuredClone(pod));
    this.informers.pods.put(key, {
      ...after,
      metadata: { ...after.metadata, resourceVersion: String(++this.#versions) },
    });
  }

  /** Removes a pod. */
  remove(key: string): void {
    this.informers.pods.remove(key);
  }

  /** Names of the nodes of pods, by name of the pod. */
  get placed(): Readonly<Record<string, string>> {
    const placed: Record<string, string> = {};
    for (const { metadata, spec } of this.informers.pods.list())
      if (spec?.nodeName) placed[metadata?.name ?? ''] = spec.nodeName;
    return placed;
  }

  /** Message of the condition PodScheduled of a pod. */
  message(key: string): string | undefined {
    const conditions = this.informers.pods.get(key)?.status?.conditions ?? [];
    return conditions.find(({ type }) => type === 'PodScheduled')?.message;
  }

  async bind({ namespace, name, uid }: { namespace: string; name: string; uid: string }, node: string): Promise<void> {
    const key = `${namespace}/${name}`;
    await this.onWrite('bind', key);
    const pod = this.informers.pods.get(key);
    if (!pod || pod.metadata?.uid !== uid) throw new Error(`pods "${name}" not found`);
    if (pod.spec?.nodeName) throw new Error(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
    this.update(key, (before) => ({ ...before, spec: { ...before.spec, nodeName: node } }));
  }

  async patchStatus({ namespace, name }: { namespace: string; name: string }, patch: StatusPatch): Promise<void> {
    const key = `${namespace}/${name}`;
    await this.onWrite('patch', key);
    this.update(key, (pod) => {
      const { nominatedNodeName, ...status } = pod.status ?? {};
      const node = patch.nominatedNodeName === undefined ? nominatedNodeName : patch.nominatedNodeName;
      const set = new Set(patch.conditions?.map(({ type }) => type));
      const conditions = [
        ...(status.conditions ?? []).filter(({ type }) => !set.has(type)),
        ...(patch.conditions ?? []),
      ];
      return { ...pod, status: { ...status, conditions, ...(node && { nominatedNodeName: node }) } };
    });
  }

  async deletePod({ namespace, name }: { namespace: string; name: string }): Promise<void> {
    const key = `${namespace}/${name}`;
    await this.onWrite('delete', key);
    this.update(key, (pod) => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2023-04-11T00:00:00Z' } }));
  }

  async updateVolume(volume: PersistentVolume): Promise<PersistentVolume> {
    return this.#replace(this.informers.persistentVolumes, volume.metadata?.name ?? '', volume);
  }

  async updateClaim(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const { namespace = '', name = '' } = claim.metadata ?? {};
    return this.#replace(this.informers.persistentVolumeClaims, `${namespace}/${name}`, claim);
  }

  /** Replaces an object at the version that was read. */
  async #replace<T extends { readonly metadata?: { readonly resourceVersion?: string } }>(
    informer: ManualInformer<object>,
    key: string,
    object: T,
  ): Promise<T> {
    const known = informer.get(key) as T | undefined;
    if (known?.metadata?.resourceVersion !== object.metadata?.resourceVersion) throw new Error(`${key} has changed`);
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#versions) } };
    informer.put(key, stored);
    return stored;
  }
}
