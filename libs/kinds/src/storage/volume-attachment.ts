import type { VolumeAttachment } from '@orch/schema/types/storage/v1';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import { validateAttachment, validateAttachmentStatus, validateNewAttachment } from './volume-attachment-validation.js';

/** Rules of VolumeAttachment; the spec is immutable. */
export const volumeAttachment: KindDeclaration<VolumeAttachment> = {
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  unconditionalUpdate: false,
  validate: validateAttachment,
  validateCreate: ({ spec }) => validateNewAttachment(spec),
  validateStatus: validateAttachmentStatus,
  validateUpdate: (object, old) => immutableField(object, old, 'spec'),
  row: (object) => ({
    Attacher: object.spec?.attacher ?? '',
    PV: object.spec?.source?.persistentVolumeName ?? '',
    Node: object.spec?.nodeName ?? '',
    Attached: object.status?.attached === true,
  }),
};
