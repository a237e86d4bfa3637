export * from './allocation/allocator.js';
export * from './allocation/ranges.js';
export { approvalOf } from './apiextensions/approval.js';
export { type CertificateRequest, readCertificateRequest, writtenNames } from './certificates/certificate-request.js';
export { signatureError } from './certificates/request-signature.js';
export { CLIENT_SIGNER, SIGNERS, type Signer, type SignerId, signerOf } from './certificates/signers.js';
export { ConversionError, Conversions, type Convert, conversionsOf } from './conversions/conversions.js';
export { heldValues, ownerOf } from './core/service-allocation.js';
export {
  acceptedNames,
  conditionOf,
  type DefinitionCondition,
  decideNames,
  ESTABLISHED,
  isTrue,
  type Naming,
  requestedNames,
  servedNames,
  withConditions,
} from './custom/accepted-names.js';
export {
  ConversionRefused,
  type ConversionRequest,
  conversionReview,
  convertedObjects,
  kindText,
} from './custom/conversion/index.js';
export { type CustomSettings, type CustomVersion, customVersions } from './custom/custom-kind.js';
export type { AcceptedNames } from './custom/kind-names.js';
export { MIGRATION } from './custom/migration.js';
export { NamesInUse } from './custom/names-in-use.js';
export { cleanupFinalizer, TERMINATION } from './custom/termination.js';
export { FIXED_SCHEMAS, fixedLevels } from './flowcontrol/fixed.js';
export { kindOptions } from './kind-options.js';
export { defaultsNumber } from './registry/default-tables.js';
export { kindRules } from './registry/registry.js';
export {
  type Allocation,
  type Cell,
  type KindRules,
  type Requestor,
  ScaleError,
  type ScaleRules,
  type ScaleView,
  type WriteContext,
} from './rules/kind-rules.js';
export { type KindSettings, STANDARD_SETTINGS } from './rules/settings.js';
