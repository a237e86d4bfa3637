import {
  decodeProtobufObject,
  parseContentType,
  parseJson,
  TooManyValuesError,
  warningsOf,
  yamlProblems,
} from '@orch/codec';
import {
  type ApiObject,
  badRequest,
  formatApiVersion,
  invalid,
  invalidValue,
  type JsonObject,
  type Names,
  StatusError,
} from '@orch/machinery';
import { noteTexts, type ObjectModel, type Sender, tooManyValues } from '@orch/resources';
import { inSlices, turnFor } from '@orch/runtime/work';
import { opaqueFields } from '@orch/schema';
import { type AuditRecord, isGone, type RequestContext } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import type { FieldValidation } from './write-options.js';

/** Bytes of a request body read as an object of a kind. */
interface Decoded {
  readonly object: ApiObject;
  /** Unknown and duplicate fields, one text each. */
  readonly problems: readonly string[];
}

/** Dependencies of reading a body. */
export interface BodyReading extends Pick<ApiDeps, 'limits' | 'yaml'> {
  /** User of the request, and whether its client has gone. */
  readonly sender: Sender;
  /** Audit record that gets the body as it was read. */
  readonly audit?: AuditRecord;
}

/** For the body of a request. */
export const readingOf = (
  { limits, yaml }: ApiDeps,
  ctx: Pick<RequestContext, 'res' | 'user' | 'audit'>,
): BodyReading => ({
  limits,
  yaml,
  sender: { user: ctx.user.name, isGone: () => isGone(ctx) },
  ...(ctx.audit && { audit: ctx.audit }),
});

/** The encodings that objects may come in. */
type BodyEncoding = 'json' | 'yaml' | 'protobuf';

/**
 * Returns the encoding of a body.
 * @param model expected type of the body
 * @throws StatusError 415 that lists the supported types
 */
export function bodyEncoding(contentType: string | undefined, names: Names, model: ObjectModel): BodyEncoding {
  const media = contentType === undefined || contentType === '' ? 'application/json' : parseContentType(contentType);
  if (media === 'application/json') return 'json';
  if (media === 'application/yaml') return 'yaml';
  if (model.struct && media === names.protobufMediaType) return 'protobuf';
  const supported = ['application/json', 'application/yaml', ...(model.struct ? [names.protobufMediaType] : [])];
  throw new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
  );
}

/**
 * A body as an object of the expected type, with unknown fields dropped and its type filled in when absent.
 * @param groups `any-group` for kinds that clients send in the group of the resource they speak to (DeleteOptions)
 * @throws StatusError 400 for bytes that are not such an object, 413 for one of too many values
 */
export async function decodeBody(
  reading: BodyReading,
  bytes: Buffer,
  encoding: BodyEncoding,
  expected: ObjectModel,
  groups: 'own-group' | 'any-group' = 'own-group',
): Promise<Decoded> {
  const apiVersion = formatApiVersion(expected);
  await turnFor(bytes.length);
  const decoded = await decodeAs(reading, bytes, encoding, expected, apiVersion);
  await turnFor(bytes.length);
  const { object } = decoded;
  const { kind = '' } = object;
  const isOther = kind !== '' && kind !== expected.kind;
  if (isOther && expected.struct) {
    throw badRequest(`${unhandled(kind, object.apiVersion || apiVersion, expected)}: expected kind ${expected.kind}`);
  }
  const accepted = [apiVersion, ...expected.alsoFrom];
  if (groups === 'own-group' && object.apiVersion && !accepted.includes(object.apiVersion)) {
    throw badRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (isOther) throw otherKind(object, expected);
  object.kind = expected.kind;
  object.apiVersion = apiVersion;
  reading.audit?.decoded(object, bytes.length);
  return decoded;
}

/**
 * Builds the error for a body of another kind. Bodies of custom kinds are decoded whatever their kind is, so the error
 * is one of validation.
 */
const otherKind = ({ kind = '', metadata }: ApiObject, expected: ObjectModel): StatusError =>
  invalid(kind, expected.group, metadata?.name ?? '', [invalidValue('kind', kind, `must be ${expected.kind}`)]);

/** Beginning of the message for an object of an unexpected type. */
const unhandled = (kind: string, apiVersion: string, expected: Pick<ObjectModel, 'kind'>): string =>
  `${kind} in version ${versionOf(apiVersion)} cannot be handled as a ${expected.kind}`;

/** The version of an apiVersion, quoted; its group does not stand in messages. */
const versionOf = (apiVersion: string): string => JSON.stringify(apiVersion.slice(apiVersion.indexOf('/') + 1));

async function decodeAs(
  reading: BodyReading,
  bytes: Buffer,
  encoding: BodyEncoding,
  expected: ObjectModel,
  apiVersion: string,
): Promise<Decoded> {
  try {
    return await decodeUnchecked(reading, bytes, encoding, expected);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    if (error instanceof TooManyValuesError) throw tooManyValues(error.limit);
    const detail = error instanceof Error ? error.message : 'unreadable';
    throw badRequest(`${unhandled(expected.kind, apiVersion, expected)}: ${detail}`);
  }
}

async function decodeUnchecked(
  { limits: { maxValues }, yaml, sender }: BodyReading,
  bytes: Buffer,
  encoding: BodyEncoding,
  model: ObjectModel,
): Promise<Decoded> {
  if (encoding === 'protobuf' && model.struct)
    return { object: decodeProtobufObject(model.struct, bytes, { maxValues }), problems: [] };
  const { parsed, repeated } =
    encoding === 'yaml'
      ? await yaml.read(bytes, { maxValues }, sender)
      : { parsed: parseJson(bytes, { maxValues }), repeated: [] };
  await turnFor(bytes.length);
  const { value, duplicates } = parsed;
  if (encoding === 'json' && model.struct) noteTexts(value as JsonObject, opaqueFields(model.struct), bytes);
  const { object, problems } = await inSlices(model.read(value, duplicates && { duplicates }));
  return { object, problems: [...yamlProblems(repeated), ...problems] };
}

/**
 * Applies the level of field validation to unknown and duplicate fields (spec: "Field validation").
 * @param expected kind that the body was to be, which the error names
 */
export function applyFieldValidation(
  problems: readonly string[],
  level: FieldValidation,
  warnings: string[],
  expected?: Pick<ObjectModel, 'kind' | 'group' | 'version'>,
): void {
  if (problems.length === 0 || level === 'Ignore') return;
  if (level === 'Strict') {
    const refusal = `strict decoding error: ${problems.join(', ')}`;
    throw badRequest(
      expected ? `${unhandled(expected.kind, formatApiVersion(expected), expected)}: ${refusal}` : refusal,
    );
  }
  for (const problem of problems) warnings.push(...warningsOf(problem));
}
