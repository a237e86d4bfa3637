import type { SharedInformer } from '@orch/runtime/informers';
import { ACTION, type EventResource, podInfoOf } from '@orch/scheduler-plugins';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import type { StorageClass } from '@orch/schema/types/storage/v1';
import type { ClusterState } from '../cluster/cluster-state.js';
import { refusedBy } from '../cluster/refused-by.js';
import type { Nominations } from '../queue/nominations.js';
import type { NamedEvent, SchedulingQueue } from '../queue/scheduling-queue.js';
import { placementChanged } from '../queue/spec-changed.js';
import type { SchedulerInformers } from './scheduler-api.js';

/** State that follows the cluster. */
interface ClusterFollower {
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
  readonly nominations: Nominations;
  /** Whether pods of a scheduler name are scheduled here. */
  readonly isOurs: (schedulerName: string) => boolean;
  /** Runs a change, at once or when the state may change again. */
  readonly apply: (change: () => void) => void;
}

const event = (resource: EventResource, actions: number, label: string): NamedEvent => ({ resource, actions, label });
const POD_ADD = event('Pod', ACTION.add, 'AssignedPodAdd');
const POD_UPDATE = event('Pod', ACTION.update, 'AssignedPodUpdate');
/** A pod has left its node, or what was reserved for it there is free again. */
export const POD_DELETE = event('Pod', ACTION.delete, 'AssignedPodDelete');
const NODE_ADD = event('Node', ACTION.add, 'NodeAdd');
const NODE_DELETE = event('Node', ACTION.delete, 'NodeDelete');
const NODE_LABELS: readonly [bit: number, label: string][] = [
  [ACTION.updateTaints, 'NodeTaintChange'],
  [ACTION.updateAllocatable, 'NodeAllocatableChange'],
  [ACTION.updateLabels, 'NodeLabelChange'],
  [ACTION.updateConditions, 'NodeConditionChange'],
];

/** Keeps state and queue up to date with the informers, until the returned function is called. */
export function followCluster(informers: SchedulerInformers, follower: ClusterFollower): () => void {
  const { apply } = follower;
  const ends = [
    // Pods that are placed already are judged against nodes, so nodes come first.
    informers.nodes.subscribe({
      added: (node) => apply(() => setNode(node, follower)),
      updated: (_, node) => apply(() => setNode(node, follower)),
      deleted: ({ metadata }) => apply(() => removeNode(metadata?.name ?? '', follower)),
    }),
    informers.pods.subscribe({
      added: (pod) => apply(() => setPod(undefined, pod, follower)),
      updated: (before, pod) => apply(() => setPod(before, pod, follower)),
      deleted: (pod) => apply(() => removePod(pod, follower)),
    }),
    ...followVolumes(informers, follower),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function followVolumes(informers: SchedulerInformers, { queue, apply }: ClusterFollower): (() => void)[] {
  const follow = <T>(informer: SharedInformer<T>, resource: EventResource, label: string, isMeant = (_: T) => true) => {
    const [add, update] = [
      event(resource, ACTION.add, `${label}Add`),
      event(resource, ACTION.update, `${label}Update`),
    ];
    return informer.subscribe({
      added: (object) => apply(() => isMeant(object) && queue.move(add)),
      updated: () => apply(() => queue.move(update)),
    });
  };
  // A class that binds at once makes no pod schedulable: its claims are bound by others.
  const bindsLate = ({ volumeBindingMode }: StorageClass) => volumeBindingMode === 'WaitForFirstConsumer';
  return [
    follow(informers.persistentVolumes, 'PersistentVolume', 'Pv'),
    follow(informers.persistentVolumeClaims, 'PersistentVolumeClaim', 'Pvc'),
    follow(informers.storageClasses, 'StorageClass', 'StorageClass', bindsLate),
    follow(informers.csiNodes, 'CSINode', 'CSINode'),
    follow(informers.csiDrivers, 'CSIDriver', 'CSIDriver'),
    follow(informers.csiStorageCapacities, 'CSIStorageCapacity', 'CSIStorageCapacity'),
  ];
}

function setNode(object: Node, { state, queue }: ClusterFollower): void {
  const changes = state.setNode(object);
  const node = state.node(object.metadata?.name ?? '');
  if (changes === 0 || !node) return;
  const label = NODE_LABELS.find(([bit]) => (changes & bit) !== 0)?.[1];
  const moved = label === undefined ? NODE_ADD : event('Node', changes, label);
  // New places, and pods that come with their node, can make others fit on other nodes than this one.
  const isAboutOthers = (changes & ACTION.updateLabels) !== 0 || (label === undefined && node.podCount > 0);
  queue.move(moved, isAboutOthers ? undefined : (pod) => refusedBy(node, pod));
}

function removeNode(name: string, { state, queue }: ClusterFollower): void {
  state.removeNode(name);
  queue.move(NODE_DELETE);
}

/** Follows a pod; `before` is its last state, perhaps that of another one of its name. */
function setPod(before: Pod | undefined, pod: Pod, follower: ClusterFollower): void {
  if (before && before.metadata?.uid !== pod.metadata?.uid) removePod(before, follower);
  const nodeName = pod.spec?.nodeName ?? '';
  if (isTerminal(pod)) removePod(pod, follower);
  else if (nodeName === '') {
    unplace(pod, follower);
    setPending(before, pod, follower);
  } else setPlaced(before, pod, nodeName, follower);
}

/** Takes a pod from the node that the API has shown it on: it is on none again where a backup was restored. */
function unplace({ metadata }: Pod, { state, queue }: ClusterFollower): void {
  const uid = metadata?.uid ?? '';
  if (state.nodeOf(uid) === undefined || state.isAssumed(uid)) return;
  state.removePod(uid);
  queue.move(POD_DELETE);
}

function setPending(before: Pod | undefined, pod: Pod, follower: ClusterFollower): void {
  const { state, queue, nominations, isOurs } = follower;
  const { uid = '', deletionTimestamp } = pod.metadata ?? {};
  if (!isOurs(pod.spec?.schedulerName ?? '')) return;
  if (deletionTimestamp !== undefined) {
    queue.delete(uid);
    nominations.delete(uid);
    return;
  }
  if (state.nodeOf(uid) !== undefined) {
    // It is being bound; its newest state is tried again if that fails.
    if (queue.isTrying(uid)) queue.set(podInfoOf(pod));
    return;
  }
  const info = podInfoOf(pod);
  nominations.update(before?.status?.nominatedNodeName ?? '', info);
  queue.set(info);
}

function setPlaced(before: Pod | undefined, pod: Pod, nodeName: string, follower: ClusterFollower): void {
  const { state, queue, nominations } = follower;
  const uid = pod.metadata?.uid ?? '';
  const known = state.nodeOf(uid);
  const isThere = known === nodeName && !state.isAssumed(uid);
  if (isThere && before && !placementChanged(before, pod)) {
    state.refreshPod(pod);
    return;
  }
  const info = podInfoOf(pod);
  queue.delete(uid);
  nominations.placed(uid, nodeName);
  state.setPod(info, nodeName);
  // It was assumed on another node, which has room again.
  if (known !== undefined && known !== nodeName) queue.move(POD_DELETE);
  if (isThere) queue.move(POD_UPDATE);
  else queue.moveForPlaced(info, POD_ADD);
}

function removePod({ metadata }: Pod, { state, queue, nominations }: ClusterFollower): void {
  const uid = metadata?.uid ?? '';
  queue.delete(uid);
  nominations.delete(uid);
  if (state.nodeOf(uid) === undefined) return;
  state.removePod(uid);
  queue.move(POD_DELETE);
}

const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
