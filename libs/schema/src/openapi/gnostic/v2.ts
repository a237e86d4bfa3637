import type { JsonObject } from '@orch/machinery';
import type { Steps } from '../../structural/index.js';
import {
  any,
  bool,
  double,
  encoded,
  integer,
  isObject,
  type LongMessage,
  longMap,
  type Message,
  map,
  message,
  oneOf,
  repeated,
  string,
  type Write,
  within,
} from './writers.js';

/** Media type with which clients request the form of {@link encodeOpenApiV2Protobuf}. Not a valid one (RFC 6838). */
export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** Media type of the answer, which must differ: clients parse it, and fail on the `@`. */
export const OPENAPI_V2_PROTOBUF_CONTENT_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const schema: Write = message(() => SCHEMA, 31);

const SCHEMA: Message = {
  $ref: { number: 1, write: string },
  format: { number: 2, write: string },
  title: { number: 3, write: string },
  description: { number: 4, write: string },
  default: { number: 5, write: any },
  multipleOf: { number: 6, write: double },
  maximum: { number: 7, write: double },
  exclusiveMaximum: { number: 8, write: bool },
  minimum: { number: 9, write: double },
  exclusiveMinimum: { number: 10, write: bool },
  maxLength: { number: 11, write: integer },
  minLength: { number: 12, write: integer },
  pattern: { number: 13, write: string },
  maxItems: { number: 14, write: integer },
  minItems: { number: 15, write: integer },
  uniqueItems: { number: 16, write: bool },
  maxProperties: { number: 17, write: integer },
  minProperties: { number: 18, write: integer },
  required: { number: 19, write: repeated(string) },
  enum: { number: 20, write: repeated(any) },
  additionalProperties: { number: 21, write: oneOf({ object: [1, schema], boolean: 2 }) },
  type: { number: 22, write: within(1, string) },
  items: { number: 23, write: within(1, schema) },
  allOf: { number: 24, write: repeated(schema) },
  properties: { number: 25, write: map(schema) },
  externalDocs: { number: 29, write: message(() => EXTERNAL_DOCS, 3) },
  example: { number: 30, write: any },
};

const EXTERNAL_DOCS: Message = {
  description: { number: 1, write: string },
  url: { number: 2, write: string },
};

const BODY_PARAMETER: Message = {
  description: { number: 1, write: string },
  name: { number: 2, write: string },
  in: { number: 3, write: string },
  required: { number: 4, write: bool },
  schema: { number: 5, write: schema },
};

const QUERY_PARAMETER: Message = {
  required: { number: 1, write: bool },
  in: { number: 2, write: string },
  description: { number: 3, write: string },
  name: { number: 4, write: string },
  type: { number: 6, write: string },
  format: { number: 7, write: string },
  uniqueItems: { number: 20, write: bool },
};

const PATH_PARAMETER: Message = {
  required: { number: 1, write: bool },
  in: { number: 2, write: string },
  description: { number: 3, write: string },
  name: { number: 4, write: string },
  type: { number: 5, write: string },
  format: { number: 6, write: string },
  uniqueItems: { number: 19, write: bool },
};

const body = within(
  1,
  message(() => BODY_PARAMETER, 6),
);
const query = within(
  2,
  within(
    3,
    message(() => QUERY_PARAMETER, 23),
  ),
);
const path = within(
  2,
  within(
    4,
    message(() => PATH_PARAMETER, 22),
  ),
);

/** The message of a parameter depends on its location. */
const parameter: Write = within(1, (writer, tag, value) => {
  const place = isObject(value) ? value.in : undefined;
  (place === 'body' ? body : place === 'path' ? path : query)(writer, tag, value);
});

const RESPONSE: Message = {
  description: { number: 1, write: string },
  schema: { number: 2, write: within(1, schema) },
};
const response = within(
  1,
  message(() => RESPONSE, 5),
);

const OPERATION: Message = {
  tags: { number: 1, write: repeated(string) },
  summary: { number: 2, write: string },
  description: { number: 3, write: string },
  operationId: { number: 5, write: string },
  produces: { number: 6, write: repeated(string) },
  consumes: { number: 7, write: repeated(string) },
  parameters: { number: 8, write: repeated(parameter) },
  responses: { number: 9, write: map(response) },
  schemes: { number: 10, write: repeated(string) },
};
const operation = message(() => OPERATION, 13);

const PATH_ITEM: Message = {
  get: { number: 2, write: operation },
  put: { number: 3, write: operation },
  post: { number: 4, write: operation },
  delete: { number: 5, write: operation },
  options: { number: 6, write: operation },
  head: { number: 7, write: operation },
  patch: { number: 8, write: operation },
};

const INFO: Message = {
  title: { number: 1, write: string },
  version: { number: 2, write: string },
};

const DOCUMENT: LongMessage = {
  swagger: { number: 1, write: string },
  info: { number: 2, write: message(() => INFO, 7) },
  paths: {
    number: 8,
    inSteps: longMap(
      message(() => PATH_ITEM, 10),
      2,
    ),
  },
  definitions: { number: 9, inSteps: longMap(schema) },
};

/**
 * Encodes an OpenAPI 2.0 document in the binary form of {@link OPENAPI_V2_PROTOBUF} (the messages of gnostic's
 * `openapiv2.proto`). Knows the members that `openApiV2Document` writes. @throws Error for others
 */
export const encodeOpenApiV2Protobuf = (document: JsonObject): Steps<Buffer> => encoded(document, DOCUMENT, 16);
