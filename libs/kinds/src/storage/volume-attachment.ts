import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import { at, textAt } from '../values/fields.js';
import { validateAttachment, validateAttachmentStatus, validateNewAttachment } from './volume-attachment-validation.js';

export const volumeAttachment: KindDeclaration = {
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  unconditionalUpdate: false,
  validate: validateAttachment,
  validateCreate: ({ spec }) => validateNewAttachment(spec),
  validateStatus: validateAttachmentStatus,
  validateUpdate: (object, old) => immutableField(object, old, 'spec'),
  row: (object) => ({
    Attacher: textAt(object, 'spec', 'attacher'),
    PV: textAt(object, 'spec', 'source', 'persistentVolumeName'),
    Node: textAt(object, 'spec', 'nodeName'),
    Attached: at(object, 'status', 'attached') === true,
  }),
};
