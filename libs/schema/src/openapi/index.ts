export { CustomModel, type DeclaredObjects, type MetaStructs } from './custom-model.js';
export { encodeOpenApiV2Protobuf, OPENAPI_V2_PROTOBUF, OPENAPI_V2_PROTOBUF_CONTENT_TYPE } from './gnostic.js';
export type { DocumentedResource, OpenApiSource } from './source.js';
export { openApiV2Document } from './v2.js';
export { OpenApiV3, type OpenApiV3Document } from './v3.js';
