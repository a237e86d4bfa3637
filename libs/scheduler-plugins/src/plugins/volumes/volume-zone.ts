import type { PersistentVolume } from '@orch/schema/types/core/v1';
import { ACTION } from '../../framework/cluster-event.js';
import type { ClusterObjects } from '../../framework/cluster-view.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { FilterPlugin, Rejection } from '../../framework/plugin.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { claimNotFound } from './pod-claims.js';
import { claimClass, type VolumeNames } from './volume-names.js';

const NAME = 'VolumeZone';
const reject = (reason: string): Rejection => ({ plugin: NAME, reasons: [reason], isResolvable: false });
const NO_ZONE = reject('node(s) had no available volume zone');
/** Separator of several zones in the label of a volume. */
const ZONES = '__';

/** A label of a volume: nodes that have any such label must have one of the values. */
interface VolumePlace {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** Keeps pods to the zones and regions that the labels of their volumes name. */
export function volumeZone(names: VolumeNames): FilterPlugin {
  const labels = [names.betaZone, names.betaRegion, names.zone, names.region];
  return {
    name: NAME,
    events: [
      { resource: 'StorageClass', actions: ACTION.add },
      { resource: 'Node', actions: ACTION.add | ACTION.updateLabels },
      { resource: 'PersistentVolumeClaim', actions: ACTION.add },
      { resource: 'PersistentVolume', actions: ACTION.add | ACTION.update },
    ],
    prepare(pod, { objects }) {
      const volumes = boundVolumes(pod, objects, names);
      if (!Array.isArray(volumes)) return volumes;
      const places = volumes.flatMap((volume) => placesOf(volume, labels));
      return places.length === 0 ? undefined : { filter: (node) => filterPlaces(node, places, labels) };
    },
  };
}

function filterPlaces(
  { labels }: NodeInfo,
  places: readonly VolumePlace[],
  keys: readonly string[],
): Rejection | undefined {
  // Nodes without such labels are taken to be all in one place.
  if (!keys.some((key) => labels[key] !== undefined)) return undefined;
  return places.every(({ key, values }) => values.has(labels[key] ?? '')) ? undefined : NO_ZONE;
}

function placesOf({ metadata }: PersistentVolume, keys: readonly string[]): readonly VolumePlace[] {
  return keys.flatMap((key) => {
    const label = metadata?.labels?.[key];
    if (label === undefined) return [];
    const values = label.split(ZONES).map((value) => value.trim());
    // A label with an empty zone is ignored as a whole.
    return values.includes('') ? [] : [{ key, values: new Set(values) }];
  });
}

/** Returns the volumes that the claims of a pod are bound to; those that are bound later are left out. */
function boundVolumes({ pod, namespace }: PodInfo, objects: ClusterObjects, names: VolumeNames) {
  const found: PersistentVolume[] = [];
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    if (!persistentVolumeClaim) continue;
    const { claimName } = persistentVolumeClaim;
    if (!claimName) return reject('PersistentVolumeClaim had no name');
    const claim = objects.persistentVolumeClaims.get(`${namespace}/${claimName}`);
    if (!claim) return reject(claimNotFound(claimName));
    const volumeName = claim.spec?.volumeName ?? '';
    const unbound = volumeName === '' ? unboundProblem(claimClass(claim, names), objects, names) : undefined;
    if (unbound) return unbound;
    if (volumeName === '') continue;
    const volume = objects.persistentVolumes.get(volumeName);
    if (!volume) return reject(`persistentvolume "${volumeName}" not found`);
    found.push(volume);
  }
  return found;
}

/** Returns why a claim without a volume cannot wait for one; undefined where it can. */
function unboundProblem(
  className: string,
  { storageClasses }: ClusterObjects,
  { storageGroup }: VolumeNames,
): Rejection | undefined {
  if (className === '') return reject('PersistentVolumeClaim had no pv name and storageClass name');
  const storageClass = storageClasses.get(className);
  if (!storageClass) return reject(`storageclass.${storageGroup} "${className}" not found`);
  const { volumeBindingMode } = storageClass;
  if (volumeBindingMode === undefined) return reject(`VolumeBindingMode not set for StorageClass "${className}"`);
  return volumeBindingMode === 'WaitForFirstConsumer' ? undefined : reject('PersistentVolume had no name');
}
