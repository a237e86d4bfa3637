import type { Operation } from '@orch/admission';
import { mutatingAdmission, validatingAdmission } from './admission.js';
import { defaults } from './defaults.js';
import type { Stage } from './draft.js';
import { escalation } from './escalation.js';
import { ownership } from './ownership.js';
import { paramRights } from './param-rights.js';
import { repair } from './repair.js';
import { systemFields } from './system-fields.js';
import { validation } from './validation.js';

const OBJECT: readonly Stage[] = [
  systemFields,
  defaults,
  ownership,
  mutatingAdmission,
  repair,
  escalation,
  validation,
  paramRights,
  validatingAdmission,
];

/**
 * The stages between the change and the store, in order (docs/architecture.md, "The path of a write"). A new one is a file
 * and a line here. What a deletion leaves of an object is the server's own work, and only has to be admitted.
 */
export const STAGES: Readonly<Record<Operation, readonly Stage[]>> = {
  CREATE: OBJECT,
  UPDATE: OBJECT,
  DELETE: [mutatingAdmission, validatingAdmission],
};
