import { type Client, Informer, type InformerSettings, type ResourceRef } from '@orch/client';
import type { ApiObject, Names } from '@orch/machinery';
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

/** Informers of a scheduler over HTTP. */
export interface ClientInformers extends SchedulerInformers {
  /** Begins to follow everything. Resolves when all objects have been listed once. */
  start(): Promise<void>;
  /** Resolves when nothing is in flight any more. */
  stop(): Promise<void>;
}

/** Pods that have ended free their nodes: they are as good as gone. */
const RUNNING = 'status.phase!=Succeeded,status.phase!=Failed';

const byNamespace = { namespace: ({ metadata }: ApiObject) => [metadata?.namespace ?? ''] };

/** Makes an informer of a resource. */
type Follow = <T extends object>(
  group: string,
  resource: string,
  settings?: InformerSettings,
) => Informer<T & ApiObject>;

/** Follows the resources that a scheduler reads. @param onError called with each failure, which is retried */
export function clientInformers(
  client: Client,
  names: Names,
  onError: (error: unknown, resource: string) => void,
): ClientInformers {
  const all: Pick<Informer<ApiObject>, 'start' | 'synced' | 'stop'>[] = [];
  const follow: Follow = (group, resource, settings = {}) => {
    const ref: ResourceRef = { group: names.group(group), version: 'v1', resource };
    const onEach = (error: unknown) => onError(error, resource);
    const informer = new Informer<ApiObject>(client, ref, { ...settings, indexers: byNamespace, onError: onEach });
    all.push(informer);
    return informer as never;
  };
  return {
    ...followed(follow),
    async start() {
      for (const informer of all) informer.start();
      await Promise.all(all.map(({ synced }) => synced));
    },
    async stop() {
      await Promise.all(all.map((informer) => informer.stop()));
    },
  };
}

function followed(follow: Follow): SchedulerInformers {
  const storage = 'storage.orch.io';
  return {
    pods: follow<Pod>('', 'pods', { fieldSelector: RUNNING }),
    nodes: follow<Node>('', 'nodes'),
    namespaces: follow<Namespace>('', 'namespaces'),
    services: follow<Service>('', 'services'),
    replicationControllers: follow<ReplicationController>('', 'replicationcontrollers'),
    replicaSets: follow<ReplicaSet>('apps', 'replicasets'),
    statefulSets: follow<StatefulSet>('apps', 'statefulsets'),
    podDisruptionBudgets: follow<PodDisruptionBudget>('policy', 'poddisruptionbudgets'),
    persistentVolumes: follow<PersistentVolume>('', 'persistentvolumes'),
    persistentVolumeClaims: follow<PersistentVolumeClaim>('', 'persistentvolumeclaims'),
    storageClasses: follow<StorageClass>(storage, 'storageclasses'),
    csiNodes: follow<CSINode>(storage, 'csinodes'),
    csiDrivers: follow<CSIDriver>(storage, 'csidrivers'),
    csiStorageCapacities: follow<CSIStorageCapacity>(storage, 'csistoragecapacities'),
  };
}
