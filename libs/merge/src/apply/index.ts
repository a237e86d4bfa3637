export {
  type CompactFields,
  CompactFieldsError,
  compactFields,
  expandFields,
  expandFieldsText,
} from './compact/compact.js';
export { type ApplyOptions, FieldManager, type WriteOptions } from './field-manager.js';
export { type Admitted, admitted } from './managed/admitted.js';
export type { Converter } from './managed/conversion.js';
export { ApplyError, ManagedFieldsError } from './managed/errors.js';
export { bothTypes, type ManagedKind, type VersionTypes } from './managed/kind.js';
export { managerOf } from './managed/manager-name.js';
export { withoutIdleTimes } from './managed/timestamps.js';
export { FieldSet, pathsOf } from './paths/field-set.js';
export { customType } from './types/custom-types.js';
export { declaredType } from './types/declared-types.js';
export { DEDUCED, type Type } from './types/type.js';
