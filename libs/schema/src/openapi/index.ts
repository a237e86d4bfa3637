export { CustomModel, type DeclaredObjects, type MetaStructs } from './custom-model.js';
export {
  encodeOpenApiV2Protobuf,
  encodeOpenApiV3Protobuf,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V2_PROTOBUF_CONTENT_TYPE,
  OPENAPI_V3_PROTOBUF,
  OPENAPI_V3_PROTOBUF_CONTENT_TYPE,
} from './gnostic/index.js';
export type { DocumentedResource, OpenApiSource } from './source.js';
export { openApiV2Document } from './v2.js';
export { OpenApiV3 } from './v3.js';
