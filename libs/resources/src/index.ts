export { conversionMetrics } from './conversion/conversion-metrics.js';
export type { ConversionCalls } from './conversion/conversion-webhook.js';
export { KeptConversions } from './conversion/kept-conversions.js';
export { refusedObjects } from './conversion/refused-objects.js';
export { inServedVersion, VersionStage } from './conversion/version-stage.js';
export { type Sender, YamlReader } from './decoding/yaml-reader.js';
export { dueTo, limitBehind, THROWN_LIMITS, type ThrownLimit } from './limit-errors.js';
export { Representations } from './representation/choose.js';
export { type Deflated, deflate } from './representation/deflate.js';
export { indentJson } from './representation/indent-json.js';
export { noteTexts } from './representation/opaque-members.js';
export { bytesOf, type Piece, sizeOf } from './representation/piece.js';
export { PieceCache, type PieceCacheStats } from './representation/piece-cache.js';
export { observeListCache } from './representation/piece-cache-metrics.js';
export { PieceWriter } from './representation/piece-writer.js';
export type { ListMeta, ListParts, Representation } from './representation/representation.js';
export { type Surround, surrounded } from './representation/surround.js';
export { resourceMetrics } from './resource-metrics.js';
export { ResourceNames } from './resource-names.js';
export { customEndpoints, type Described, describe } from './served/custom-endpoints.js';
export {
  type BeginCreation,
  type CreationVerdict,
  type Endpoint,
  type OtherVersion,
  UNSTORED,
} from './served/endpoint.js';
export { buildEndpoints, notServed } from './served/endpoints.js';
export { DeclaredModel, type ObjectModel } from './served/object-model.js';
export { type PolicyEndpoints, policyEndpoints, storedEndpoint } from './served/policy-endpoints.js';
export { ServedResources } from './served/served-resources.js';
export { fullyDescribed, type ServedGroup, ServedSnapshot, type Serving } from './served/served-snapshot.js';
export { checkStorageVersions } from './served/storage-versions.js';
export {
  notAcceptable,
  shuttingDown,
  tooLarge,
  tooMany,
  tooManyValues,
  toStatusError,
  unknownPath,
  wrongMethod,
} from './status-errors.js';
export { inFullForm, servedObject } from './stored/shape.js';
export type { Stored } from './stored/stored.js';
export {
  asItLies,
  bodyOf,
  fillAhead,
  filledBody,
  fromStored,
  lengthSoFar,
  metadataOf,
  ownersApart,
  ownersOf,
  toStoredBody,
  withoutOwners,
} from './stored/stored-body.js';
export type { StoredForm } from './stored/stored-form.js';
export { weakMemo } from './stored/weak-memo.js';
export { parseVersion, tooLargeVersion } from './version.js';
