import { ADMISSIONREGISTRATION_VERSIONS } from '../admissionregistration/convert.js';
import { APIEXTENSIONS_VERSIONS } from '../apiextensions/convert.js';
import { WORKLOAD_VERSIONS } from '../apps/convert.js';
import { AUTHORIZATION_VERSIONS } from '../authorization/convert.js';
import { AUTOSCALING_VERSIONS } from '../autoscaling/versions.js';
import { CERTIFICATE_VERSIONS } from '../certificates/convert.js';
import { DISCOVERY_VERSIONS } from '../discovery/convert.js';
import { EVENT_VERSIONS } from '../events/convert.js';
import { FLOWCONTROL_VERSIONS } from '../flowcontrol/convert.js';
import { NETWORKING_VERSIONS } from '../networking/convert.js';
import { NODE_VERSIONS } from '../node/convert.js';
import { POLICY_VERSIONS } from '../policy/convert.js';
import { RBAC_VERSIONS } from '../rbac/convert.js';
import type { VersionConversion } from './version-conversion.js';

/** Versions in which nothing has another form than in the hub. */
const SAME_FORM: readonly VersionConversion[] = [
  { version: 'apiregistration.orch.io/v1beta1', kinds: ['APIService'], hub: 'apiregistration.orch.io/v1' },
  { version: 'authentication.orch.io/v1beta1', kinds: ['TokenReview'], hub: 'authentication.orch.io/v1' },
  {
    version: 'authentication.orch.io/v1alpha1',
    kinds: ['SelfSubjectReview'],
    hub: 'authentication.orch.io/v1beta1',
  },
  { version: 'batch/v1beta1', kinds: ['CronJob'], hub: 'batch/v1' },
  { version: 'batch/v2alpha1', kinds: ['CronJob'], hub: 'batch/v1' },
  { version: 'coordination.orch.io/v1beta1', kinds: ['Lease'], hub: 'coordination.orch.io/v1' },
  { version: 'scheduling.orch.io/v1beta1', kinds: ['PriorityClass'], hub: 'scheduling.orch.io/v1' },
  { version: 'scheduling.orch.io/v1alpha1', kinds: ['PriorityClass'], hub: 'scheduling.orch.io/v1' },
  {
    version: 'storage.orch.io/v1beta1',
    kinds: ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'StorageClass', 'VolumeAttachment'],
    hub: 'storage.orch.io/v1',
  },
  {
    version: 'storage.orch.io/v1alpha1',
    kinds: ['CSIStorageCapacity', 'VolumeAttachment'],
    hub: 'storage.orch.io/v1',
  },
];

/**
 * Every version that differs from the hub of its kinds, served or removed long ago; a version that is not listed is
 * itself a hub.
 */
export const VERSIONS: readonly VersionConversion[] = [
  ...ADMISSIONREGISTRATION_VERSIONS,
  ...APIEXTENSIONS_VERSIONS,
  ...WORKLOAD_VERSIONS,
  ...AUTHORIZATION_VERSIONS,
  ...AUTOSCALING_VERSIONS,
  ...CERTIFICATE_VERSIONS,
  ...DISCOVERY_VERSIONS,
  ...EVENT_VERSIONS,
  ...FLOWCONTROL_VERSIONS,
  ...NETWORKING_VERSIONS,
  ...NODE_VERSIONS,
  ...POLICY_VERSIONS,
  ...RBAC_VERSIONS,
  ...SAME_FORM,
];

/** Kinds that went without a successor, and the release without them; by version and kind. */
export const GONE: Readonly<Record<string, string>> = {
  'auditregistration.orch.io/v1alpha1 AuditSink': '1.19',
  'extensions/v1beta1 PodSecurityPolicy': '1.25',
  'policy/v1beta1 PodSecurityPolicy': '1.25',
  'resource.orch.io/v1alpha1 PodScheduling': '1.27',
  'resource.orch.io/v1alpha1 ResourceClaim': '1.27',
  'resource.orch.io/v1alpha1 ResourceClaimTemplate': '1.27',
  'resource.orch.io/v1alpha1 ResourceClass': '1.27',
  'settings.orch.io/v1alpha1 PodPreset': '1.20',
};
