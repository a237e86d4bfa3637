import type { CSIDriver } from '@orch/schema/types/storage/v1';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import type { KindSettings } from '../rules/settings.js';
import { equal } from '../values/equal.js';
import { ensureObject, fill, isEmpty } from '../values/fields.js';
import { joined, UNSET } from '../values/text.js';
import { validateDriver, validateDriverUpdate } from './csi-driver-validation.js';

/** Feature of drivers that can mount with an SELinux context. */
const CONTEXT_MOUNT = 'SELinuxMountReadWriteOncePod';

const COUNTED = ['tokenRequests', 'requiresRepublish', 'seLinuxMount'] as const;

/** Rules of CSIDriver. */
export const csiDriver = (settings: KindSettings): KindDeclaration<CSIDriver> => ({
  generation: {
    first: 0,
    rises: ({ spec }, old) => COUNTED.some((name) => !equal(spec?.[name], old.spec?.[name])),
  },
  unconditionalUpdate: false,
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    if (isEmpty(spec.volumeLifecycleModes)) spec.volumeLifecycleModes = ['Persistent'];
    if (settings.features.enabled(CONTEXT_MOUNT)) fill(spec, 'seLinuxMount', false);
  },
  gatedFields: [gatedMember(CONTEXT_MOUNT, 'spec.seLinuxMount')],
  validate: ({ spec }) => validateDriver(spec, settings.features.enabled(CONTEXT_MOUNT)),
  validateUpdate: validateDriverUpdate,
  row: (object) => ({
    AttachRequired: object.spec?.attachRequired !== false,
    PodInfoOnMount: object.spec?.podInfoOnMount === true,
    StorageCapacity: object.spec?.storageCapacity === true,
    TokenRequests: (object.spec?.tokenRequests ?? []).map((each) => each.audience ?? '').join(',') || UNSET,
    RequiresRepublish: object.spec?.requiresRepublish === true,
    Modes: joined(object.spec?.volumeLifecycleModes ?? []),
  }),
});
