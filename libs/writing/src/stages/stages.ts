import type { Operation } from '@orch/admission';
import { mutatingAdmission, validatingAdmission } from './admission.js';
import { defaults } from './defaults.js';
import type { Draft, StageTools, WriteStage } from './draft.js';
import { ownership } from './ownership.js';
import { quota } from './quota.js';
import { repair } from './repair.js';
import { systemFields } from './system-fields.js';
import { validation } from './validation.js';

/**
 * Prevents privilege escalation: writers of roles and bindings may only grant permissions that they have.
 * @throws StatusError 403, 404
 */
const escalation = (draft: Draft, { grants }: StageTools) => grants.check(draft);

/**
 * Requires that writers of valid admission policies and bindings may read the parameters that these name.
 * @throws StatusError 422
 */
const parameterRights = (draft: Draft, { paramRights }: StageTools) => paramRights.check(draft);

const OBJECT: readonly WriteStage[] = [
  systemFields,
  defaults,
  ownership,
  mutatingAdmission,
  repair,
  escalation,
  validation,
  parameterRights,
  validatingAdmission,
  quota,
];

/**
 * The stages between the change and the store, in order (docs/architecture.md, "The path of a write"). A new one is a
 * file and a line here. A deletion is only admitted and charged: the object that it leaves is written by the server
 * itself.
 */
export const STAGES: Readonly<Record<Operation, readonly WriteStage[]>> = {
  CREATE: OBJECT,
  UPDATE: OBJECT,
  DELETE: [mutatingAdmission, validatingAdmission, quota],
};
