import type { GroupVersionResource, Names } from '@orch/machinery';
import type { SharedInformer } from '@orch/runtime/informers';
import type { SchedulerInformers } from '@orch/scheduler';
import type { ReplicaSet, StatefulSet } from '@orch/schema/types/apps/v1';
import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from '@orch/schema/types/core/v1';
import type { PodDisruptionBudget } from '@orch/schema/types/policy/v1';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '@orch/schema/types/storage/v1';
import type { ApiRequests } from './requests.js';

/** The API as a scheduler reads and writes it: over HTTP, or within the process that serves it. */
export interface SchedulerCluster {
  /** Objects that decisions are made by. */
  readonly informers: RunningInformers;
  /** Writes Events. */
  readonly events: ApiRequests;
  /** Returns what writes pods and volumes in a term of leadership. */
  writes(term: WritingTerm): ApiRequests;
  /** Returns what reads and writes the Lease. @param timeoutMs milliseconds after which a request fails */
  lease(timeoutMs: number): ApiRequests;
  /** Ends what it holds open; called once nothing is in use any more. */
  close(): Promise<void>;
}

/** A term of leadership, as those see it who write in it. */
export interface WritingTerm {
  /** Whether it goes on: nothing is written otherwise. */
  readonly goesOn: boolean;
  /** Aborts at its end: nobody waits any more for what is in flight. */
  readonly ended: AbortSignal;
}

/** Informers of a scheduler, and their life. */
interface RunningInformers extends SchedulerInformers {
  /** Begins to follow everything. Resolves when all objects have been listed once. */
  start(): Promise<void>;
  /** Resolves when nothing is in flight any more. */
  stop(): Promise<void>;
}

/** Names a Lease. */
export interface LeaseName {
  /** Namespace of the Lease. */
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
}

/** A resource that is followed, all of it or a part. */
export interface FollowedResource extends GroupVersionResource {
  /** Whether pods that have ended are left out: their nodes are free again. */
  readonly leavesOutEnded: boolean;
}

/** Makes an informer of a resource, which indexes its objects by {@link NAMESPACE}. */
type Follow = <T extends object>(resource: FollowedResource) => SharedInformer<T>;

/** Name of the index by namespace, as the scheduler asks for it. */
export const NAMESPACE = 'namespace';

/** Returns informers of the resources that a scheduler reads. @param follow makes each */
export function schedulerInformers(names: Names, follow: Follow): SchedulerInformers {
  const of = <T extends object>(group: string, resource: string, leavesOutEnded = false): SharedInformer<T> =>
    follow<T>({ group: names.group(group), version: 'v1', resource, leavesOutEnded });
  const storage = 'storage.orch.io';
  return {
    pods: of<Pod>('', 'pods', true),
    nodes: of<Node>('', 'nodes'),
    namespaces: of<Namespace>('', 'namespaces'),
    services: of<Service>('', 'services'),
    replicationControllers: of<ReplicationController>('', 'replicationcontrollers'),
    replicaSets: of<ReplicaSet>('apps', 'replicasets'),
    statefulSets: of<StatefulSet>('apps', 'statefulsets'),
    podDisruptionBudgets: of<PodDisruptionBudget>('policy', 'poddisruptionbudgets'),
    persistentVolumes: of<PersistentVolume>('', 'persistentvolumes'),
    persistentVolumeClaims: of<PersistentVolumeClaim>('', 'persistentvolumeclaims'),
    storageClasses: of<StorageClass>(storage, 'storageclasses'),
    csiNodes: of<CSINode>(storage, 'csinodes'),
    csiDrivers: of<CSIDriver>(storage, 'csidrivers'),
    csiStorageCapacities: of<CSIStorageCapacity>(storage, 'csistoragecapacities'),
  };
}
