import type { CSINode } from '@orch/schema/types/storage/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { validateNodeDrivers, validateNodeDriversUpdate } from './csi-node-validation.js';

/** Rules of CSINode. */
export const csiNode: KindDeclaration<CSINode> = {
  unconditionalUpdate: false,
  validate: validateNodeDrivers,
  validateUpdate: validateNodeDriversUpdate,
  row: (object) => ({ Drivers: (object.spec?.drivers ?? []).length }),
};
