import { ACTION } from '../../../framework/cluster-event.js';
import type { ClusterView } from '../../../framework/cluster-view.js';
import type { FilterPlugin, PodFilter, Rejection, ScorePlugin } from '../../../framework/plugin.js';
import type { ShapePoint, VolumeBindingArgs } from '../../../framework/plugin-args.js';
import type { PodInfo } from '../../../framework/pod-info.js';
import { claimNotFound, claimUsesOf, foreignClaim } from '../pod-claims.js';
import { ClaimedVolumes } from './pod-volumes.js';
import { utilizationScorer } from './utilization-score.js';
import type { VolumeContext } from './volume-context.js';
import { VolumeReservation } from './volume-reservation.js';

const NAME = 'VolumeBinding';
const MS = 1_000;
const { add, update, updateLabels } = ACTION;
const reject = (reasons: readonly string[]): Rejection => ({ plugin: NAME, reasons, isResolvable: false });
const UNBOUND = reject(['pod has unbound immediate PersistentVolumeClaims']);

/**
 * Keeps pods to nodes that have, or can be given, the volumes of their claims; binds these, or has them made, before the
 * pod is bound.
 * @param context the same one for all profiles
 */
export function volumeBinding(context: VolumeContext, args: VolumeBindingArgs): FilterPlugin & ScorePlugin {
  const timeoutMs = args.bindTimeoutSeconds * MS;
  return {
    name: NAME,
    events: [
      { resource: 'StorageClass', actions: add | update },
      { resource: 'PersistentVolumeClaim', actions: add | update },
      { resource: 'PersistentVolume', actions: add | update },
      { resource: 'Node', actions: add | updateLabels },
      { resource: 'CSINode', actions: add | update },
      { resource: 'CSIDriver', actions: add | update },
      { resource: 'CSIStorageCapacity', actions: add | update },
    ],
    prepare(pod, view) {
      if (pod.claims.length === 0) return undefined;
      const problem = claimProblem(pod, view);
      if (problem !== undefined) return reject([problem]);
      const volumes = new ClaimedVolumes(pod, context);
      return volumes.waitsForImmediate ? UNBOUND : filterOf(pod, volumes, { view, context, timeoutMs });
    },
    score(pod, nodes) {
      if (!args.shape?.length || pod.claims.length === 0) return undefined;
      return scoresOf(new ClaimedVolumes(pod, context), nodes, args.shape);
    },
  };
}

/** Returns why the claims of a pod cannot be used at all; undefined where they can. */
function claimProblem({ pod, namespace }: PodInfo, { objects }: ClusterView): string | undefined {
  for (const { name, isEphemeral } of claimUsesOf(pod)) {
    const claim = objects.persistentVolumeClaims.get(`${namespace}/${name}`);
    if (!claim && isEphemeral)
      return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
    if (!claim) return claimNotFound(name);
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
    if (claim.metadata?.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined;
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}

interface FilterDependencies {
  readonly view: ClusterView;
  readonly context: VolumeContext;
  readonly timeoutMs: number;
}

function filterOf(pod: PodInfo, volumes: ClaimedVolumes, { view, context, timeoutMs }: FilterDependencies): PodFilter {
  const candidates = volumes.candidates(view);
  return {
    ...(candidates && { candidates }),
    filter(node) {
      const found = context.attempt('predicate', () => volumes.on(node));
      return 'bindings' in found ? undefined : reject(found);
    },
    reserve(node) {
      if (volumes.isBound) return undefined;
      return context.attempt('assume', () => {
        const found = volumes.on(node);
        if ('bindings' in found) return new VolumeReservation(context, pod, node, found, timeoutMs);
        throw new Error(`no volumes of the pod on node "${node.name}": ${found.join(', ')}`);
      });
    },
  };
}

function scoresOf(
  volumes: ClaimedVolumes,
  nodes: Parameters<ScorePlugin['score']>[1],
  shape: readonly ShapePoint[],
): readonly number[] {
  const score = utilizationScorer(shape);
  return nodes.map((node) => {
    const found = volumes.on(node);
    return 'bindings' in found ? score(found.bindings) : 0;
  });
}
