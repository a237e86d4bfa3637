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
  longMessage,
  type Message,
  map,
  message,
  oneOf,
  repeated,
  string,
  type Write,
  within,
} from './writers.js';

/** Media type with which clients request the form of {@link encodeOpenApiV3Protobuf}. Not a valid one (RFC 6838). */
export const OPENAPI_V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
/** Media type of the answer. */
export const OPENAPI_V3_PROTOBUF_CONTENT_TYPE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

const plainSchema: Write = message(() => SCHEMA, 36);
const reference: Write = message(() => REFERENCE, 0);

/** Encodes a schema, or a reference to one. */
const schema: Write = (writer, tag, value) =>
  (isObject(value) && value.$ref !== undefined ? within(2, reference) : within(1, plainSchema))(writer, tag, value);

const REFERENCE: Message = {
  $ref: { number: 1, write: string },
  summary: { number: 2, write: string },
  description: { number: 3, write: string },
};

const EXTERNAL_DOCS: Message = {
  description: { number: 1, write: string },
  url: { number: 2, write: string },
};

const SCHEMA: Message = {
  nullable: { number: 1, write: bool },
  externalDocs: { number: 6, write: message(() => EXTERNAL_DOCS, 3) },
  example: { number: 7, write: any },
  title: { number: 9, write: string },
  multipleOf: { number: 10, write: double },
  maximum: { number: 11, write: double },
  exclusiveMaximum: { number: 12, write: bool },
  minimum: { number: 13, write: double },
  exclusiveMinimum: { number: 14, write: bool },
  maxLength: { number: 15, write: integer },
  minLength: { number: 16, write: integer },
  pattern: { number: 17, write: string },
  maxItems: { number: 18, write: integer },
  minItems: { number: 19, write: integer },
  uniqueItems: { number: 20, write: bool },
  maxProperties: { number: 21, write: integer },
  minProperties: { number: 22, write: integer },
  required: { number: 23, write: repeated(string) },
  enum: { number: 24, write: repeated(any) },
  type: { number: 25, write: string },
  allOf: { number: 26, write: repeated(schema) },
  oneOf: { number: 27, write: repeated(schema) },
  anyOf: { number: 28, write: repeated(schema) },
  not: { number: 29, write: plainSchema },
  items: { number: 30, write: within(1, schema) },
  properties: { number: 31, write: map(schema) },
  additionalProperties: { number: 32, write: oneOf({ object: [1, schema], boolean: 2 }) },
  // The format has no lists and objects here.
  default: { number: 33, write: oneOf({ number: 1, boolean: 2, string: 3 }) },
  description: { number: 34, write: string },
  format: { number: 35, write: string },
};

const MEDIA_TYPE: Message = { schema: { number: 1, write: schema } };
const content = map(message(() => MEDIA_TYPE, 5));

const PARAMETER: Message = {
  name: { number: 1, write: string },
  in: { number: 2, write: string },
  description: { number: 3, write: string },
  required: { number: 4, write: bool },
  schema: { number: 10, write: schema },
};

const REQUEST_BODY: Message = {
  description: { number: 1, write: string },
  content: { number: 2, write: content },
  required: { number: 3, write: bool },
};

const RESPONSE: Message = {
  description: { number: 1, write: string },
  content: { number: 3, write: content },
};

/** Encodes a value that the format allows to be a reference, though none is used. */
const orReference = (members: () => Message, extensions: number): Write => within(1, message(members, extensions));

const OPERATION: Message = {
  tags: { number: 1, write: repeated(string) },
  summary: { number: 2, write: string },
  description: { number: 3, write: string },
  operationId: { number: 5, write: string },
  parameters: { number: 6, write: repeated(orReference(() => PARAMETER, 14)) },
  requestBody: { number: 7, write: orReference(() => REQUEST_BODY, 4) },
  responses: {
    number: 8,
    write: map(
      orReference(() => RESPONSE, 5),
      2,
    ),
  },
  deprecated: { number: 10, write: bool },
};
const operation = message(() => OPERATION, 13);

const PATH_ITEM: Message = {
  get: { number: 4, write: operation },
  put: { number: 5, write: operation },
  post: { number: 6, write: operation },
  delete: { number: 7, write: operation },
  options: { number: 8, write: operation },
  head: { number: 9, write: operation },
  patch: { number: 10, write: operation },
  parameters: { number: 13, write: repeated(orReference(() => PARAMETER, 14)) },
};

const INFO: Message = {
  title: { number: 1, write: string },
  version: { number: 6, write: string },
};

const COMPONENTS: LongMessage = { schemas: { number: 1, inSteps: longMap(schema) } };

const DOCUMENT: LongMessage = {
  openapi: { number: 1, write: string },
  info: { number: 2, write: message(() => INFO, 7) },
  paths: { number: 4, inSteps: longMap(message(() => PATH_ITEM, 14)) },
  components: { number: 5, inSteps: longMessage(COMPONENTS, 10) },
};

/**
 * Encodes an OpenAPI 3.0 document in the binary form of {@link OPENAPI_V3_PROTOBUF} (the messages of gnostic's
 * `openapiv3.proto`). Knows the members that {@link OpenApiV3} writes. @throws Error for others
 */
export const encodeOpenApiV3Protobuf = (document: JsonObject): Steps<Buffer> => encoded(document, DOCUMENT, 9);
