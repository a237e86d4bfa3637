import { decodeJsonObject, decodeProtobufObject, decodeYamlObject, parseContentType } from '@orch/codec';
import { type ApiObject, badRequest, formatApiVersion, type Names, StatusError } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import type { FieldValidation } from './write-options.js';

export interface ExpectedType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: StructSchema;
}

/** Bytes of a request body read against a schema. */
export interface Decoded {
  readonly object: ApiObject;
  /** Unknown and duplicate fields, one text each. */
  readonly problems: readonly string[];
}

/** The encodings that objects may come in. */
export type BodyEncoding = 'json' | 'yaml' | 'protobuf';

/** @throws StatusError 415 naming what is supported */
export function bodyEncoding(contentType: string | undefined, names: Names): BodyEncoding {
  const media = contentType === undefined || contentType === '' ? 'application/json' : parseContentType(contentType);
  if (media === 'application/json') return 'json';
  if (media === 'application/yaml') return 'yaml';
  if (media === names.protobufMediaType) return 'protobuf';
  throw new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, ${names.protobufMediaType}`,
  );
}

/**
 * A body as an object of the expected type, with unknown fields dropped and its type filled in when absent.
 * @param groups `any-group` for kinds that clients send in the group of the resource they speak to (DeleteOptions)
 * @throws StatusError 400 for bytes that are not such an object
 */
export function decodeBody(
  bytes: Buffer,
  encoding: BodyEncoding,
  expected: ExpectedType,
  groups: 'own-group' | 'any-group' = 'own-group',
): Decoded {
  const apiVersion = formatApiVersion(expected);
  const decoded = decodeAs(bytes, encoding, expected, apiVersion);
  const { object } = decoded;
  if (object.kind !== undefined && object.kind !== '' && object.kind !== expected.kind) {
    throw badRequest(
      `${object.kind} in version ${versionOf(object.apiVersion || apiVersion)} cannot be handled as a ${expected.kind}: expected kind ${expected.kind}`,
    );
  }
  if (groups === 'own-group' && object.apiVersion && object.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  object.kind = expected.kind;
  object.apiVersion = apiVersion;
  return decoded;
}

/** The version of an apiVersion, quoted; its group does not stand in messages. */
const versionOf = (apiVersion: string): string => JSON.stringify(apiVersion.slice(apiVersion.indexOf('/') + 1));

function decodeAs(bytes: Buffer, encoding: BodyEncoding, expected: ExpectedType, apiVersion: string): Decoded {
  try {
    if (encoding === 'protobuf') return { object: decodeProtobufObject(expected.schema, bytes), problems: [] };
    return encoding === 'yaml' ? decodeYamlObject(expected.schema, bytes) : decodeJsonObject(expected.schema, bytes);
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'unreadable';
    throw badRequest(
      `${expected.kind} in version ${versionOf(apiVersion)} cannot be handled as a ${expected.kind}: ${detail}`,
    );
  }
}

/**
 * What unknown and duplicate fields lead to (spec: "Field validation").
 * @throws StatusError 400 at level `Strict`, listing every such field
 */
export function applyFieldValidation(problems: readonly string[], level: FieldValidation, warnings: string[]): void {
  if (problems.length === 0 || level === 'Ignore') return;
  if (level === 'Strict') throw badRequest(`strict decoding error: ${problems.join(', ')}`);
  warnings.push(...problems);
}
