import type { JsonObject, JsonValue } from '@orch/machinery';
import protobuf from 'protobufjs/minimal.js';

/** The media type by which clients ask for the form of {@link encodeOpenApiV2Protobuf}. Not a valid one (RFC 6838). */
export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** The media type that the answer must carry instead: clients parse it, and fail on the `@`. */
export const OPENAPI_V2_PROTOBUF_CONTENT_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** How a member is written: a plain value, or a message of its own. */
type Write = (writer: protobuf.Writer, tag: number, value: JsonValue) => void;

interface Member {
  readonly number: number;
  readonly write: Write;
}

/** Members of a message by their JSON name. */
type Message = Readonly<Record<string, Member>>;

const LENGTH_DELIMITED = 2;
const key = (number: number): number => (number << 3) | LENGTH_DELIMITED;
const VARINT_KEY = (number: number): number => number << 3;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const string: Write = (writer, tag, value) => void writer.uint32(key(tag)).string(String(value));
const DOUBLE_KEY = (number: number): number => (number << 3) | 1;
/** Zeros are what is not written. */
const double: Write = (writer, tag, value) =>
  void (Number(value) !== 0 && writer.uint32(DOUBLE_KEY(tag)).double(Number(value)));
const int64: Write = (writer, tag, value) =>
  void (Number(value) !== 0 && writer.uint32(VARINT_KEY(tag)).int64(Number(value)));
const bool: Write = (writer, tag, value) => void (value === true && writer.uint32(VARINT_KEY(tag)).bool(true));

const repeated =
  (write: Write): Write =>
  (writer, tag, value) => {
    if (Array.isArray(value)) for (const item of value) write(writer, tag, item);
  };

/** A length-delimited message whose contents `fill` writes. */
function nested(writer: protobuf.Writer, tag: number, fill: (writer: protobuf.Writer) => void): void {
  writer.uint32(key(tag)).fork();
  fill(writer);
  writer.ldelim();
}

/** A value of any kind travels as its text in YAML, of which JSON is a part. */
const any: Write = (writer, tag, value) =>
  nested(writer, tag, (inner) => void inner.uint32(key(2)).string(JSON.stringify(value)));

/** An entry of a map: the name and the value under numbers 1 and 2. */
const named = (writer: protobuf.Writer, tag: number, name: string, value: JsonValue, write: Write): void =>
  nested(writer, tag, (inner) => {
    inner.uint32(key(1)).string(name);
    write(inner, 2, value);
  });

/** A map as a message of its own with its entries under `entries`. */
const map =
  (write: Write, entries = 1): Write =>
  (writer, tag, value) =>
    nested(writer, tag, (inner) => {
      if (isObject(value))
        for (const [name, item] of Object.entries(value)) named(inner, entries, name, item ?? null, write);
    });

/** An object as a message; members that begin with `x-` go under the number for extensions. */
const message =
  (members: () => Message, extensions: number): Write =>
  (writer, tag, value) =>
    nested(writer, tag, (inner) => writeMembers(inner, value, members(), extensions));

function writeMembers(writer: protobuf.Writer, value: JsonValue, members: Message, extensions: number): void {
  if (!isObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member) member.write(writer, member.number, item);
    else if (name.startsWith('x-')) named(writer, extensions, name, item, any);
    else throw new Error(`OpenAPI member ${name} has no binary form here`);
  }
}

/** A message that only wraps another one, under one of its numbers. */
const within =
  (number: number, write: Write): Write =>
  (writer, tag, value) =>
    nested(writer, tag, (inner) => write(inner, number, value));

const schema: Write = message(() => SCHEMA, 31);

/** A schema, or whether there may be any. */
const additional: Write = (writer, tag, value) =>
  (typeof value === 'boolean' ? within(2, bool) : within(1, schema))(writer, tag, value);

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
  maxLength: { number: 11, write: int64 },
  minLength: { number: 12, write: int64 },
  pattern: { number: 13, write: string },
  maxItems: { number: 14, write: int64 },
  minItems: { number: 15, write: int64 },
  uniqueItems: { number: 16, write: bool },
  maxProperties: { number: 17, write: int64 },
  minProperties: { number: 18, write: int64 },
  required: { number: 19, write: repeated(string) },
  enum: { number: 20, write: repeated(any) },
  additionalProperties: { number: 21, write: additional },
  type: { number: 22, write: within(1, string) },
  items: { number: 23, write: within(1, schema) },
  allOf: { number: 24, write: repeated(schema) },
  properties: { number: 25, write: map(schema) },
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

/** A parameter's message depends on where it stands. */
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

const DOCUMENT: Message = {
  swagger: { number: 1, write: string },
  info: { number: 2, write: message(() => INFO, 7) },
  paths: {
    number: 8,
    write: map(
      message(() => PATH_ITEM, 10),
      2,
    ),
  },
  definitions: { number: 9, write: map(schema) },
};

/**
 * An OpenAPI 2.0 document in the binary form that clients ask for by {@link OPENAPI_V2_PROTOBUF} (the messages of
 * gnostic's `openapiv2.proto`). Knows what `openApiV2Document` writes. @throws Error for members beyond that
 */
export function encodeOpenApiV2Protobuf(document: JsonObject): Buffer {
  const writer = protobuf.Writer.create();
  writeMembers(writer, document, DOCUMENT, 16);
  return Buffer.from(writer.finish());
}
