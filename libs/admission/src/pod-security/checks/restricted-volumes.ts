import type { Volume, VolumeSource } from '@orch/schema/types/core/v1';
import type { Check, PodCheck } from '../check.js';
import { hostPathVolumes } from './host-access.js';
import { plural, quoted, sorted } from './wording.js';

type Source = keyof VolumeSource;

const ALLOWED: readonly Source[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const OTHERS: readonly Source[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

const has = (volume: Volume, source: Source): boolean => volume[source] !== undefined && volume[source] !== null;
const sourceOf = (volume: Volume): string => OTHERS.find((source) => has(volume, source)) ?? 'unknown';

const check: PodCheck = ({ spec: { volumes = [] } }) => {
  const found = volumes.filter((volume) => !ALLOWED.some((source) => has(volume, source)));
  if (found.length === 0) return undefined;
  const sources = sorted(found.map(sourceOf));
  const which = `${plural('volume', 'volumes', found.length)} ${quoted(found.map(({ name = '' }) => name))}`;
  const what = plural('restricted volume type', 'restricted volume types', sources.length);
  const detail = `${which} ${plural('uses', 'use', found.length)} ${what} ${quoted(sources)}`;
  return { reason: 'restricted volume types', detail };
};

/** Allows only types of volumes that do not refer to nodes or to storage. */
export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  level: 'restricted',
  overrides: hostPathVolumes.id,
  versions: [{ since: 0, check }],
};
