export { encodeOpenApiV2Protobuf, OPENAPI_V2_PROTOBUF, OPENAPI_V2_PROTOBUF_CONTENT_TYPE } from './v2.js';
export { encodeOpenApiV3Protobuf, OPENAPI_V3_PROTOBUF, OPENAPI_V3_PROTOBUF_CONTENT_TYPE } from './v3.js';
