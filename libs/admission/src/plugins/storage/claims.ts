import type { Names } from '@orch/machinery';
import type { PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import type { Target } from '../../attributes.js';

/** Whether a write is about claims of volumes themselves, through no subresource. */
export const isAboutClaims = ({ group, resource, subresource }: Target): boolean =>
  resource === 'persistentvolumeclaims' && subresource === '' && group === '';

/** The storage class that a claim names, which may be the empty one; by annotation before by its field. */
export const claimClassOf = (names: Names, { metadata, spec }: PersistentVolumeClaim): string | undefined =>
  metadata?.annotations?.[names.key('volume.beta.orch.io/storage-class')] ?? spec?.storageClassName;
