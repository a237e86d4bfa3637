export { JsonSyntaxError } from './json/json-error.js';
export type { Duplicates } from './json/json-reader.js';
export { embeddedJson, opaqueJson } from './json/opaque-json.js';
export {
  countValues,
  duplicatePaths,
  holdsMoreValues,
  isTooDeep,
  type JsonLimits,
  type ParsedJson,
  parseJson,
  parseStoredJson,
} from './json/parse-json.js';
export { stringifyJson } from './json/stringify-json.js';
export { parseContentType } from './negotiation/media-type.js';
export {
  type Accepted,
  discoveryOffers,
  type Encoding,
  type Negotiator,
  negotiate,
  negotiator,
  type Offers,
} from './negotiation/negotiate.js';
export * from './protobuf/index.js';
export { decodeJsonObject, type ReadObject, type ReadOptions, readObject } from './read/read-object.js';
export { ObjectReadError } from './read/read-state.js';
export { TooManyValuesError } from './too-many-values.js';
export { type ParsedYaml, parseYaml } from './yaml/parse-yaml.js';
export { stringifyYaml } from './yaml/stringify-yaml.js';
export { type YamlLimits, YamlSyntaxError } from './yaml/yaml-limits.js';
export { decodeYamlObject, warningsOf, yamlProblems } from './yaml/yaml-object.js';
