import { duplicatePaths, type ParsedJson, parseContentType, parseJson, TooManyValuesError } from '@orch/codec';
import { type ApiObject, badRequest, type JsonObject, type JsonValue, StatusError } from '@orch/machinery';
import {
  applyJsonPatch,
  applyMergePatch,
  declaredType,
  MalformedPatchError,
  PatchTooLargeError,
  strategicMergePatch,
} from '@orch/merge';
import type { StructSchema } from '@orch/schema';
import type { RequestLimits } from '../deps.js';
import { tooManyValues } from './decode-body.js';

export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json';

/** The content type of a server-side apply, which is no patch of a document: what it makes of an object, owners decide. */
export const APPLY = 'application/apply-patch+yaml';

const SUPPORTED: readonly (PatchType | typeof APPLY)[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  APPLY,
];

/** A patch ready to be applied to any number of objects. */
export interface Patch {
  /** Fields of the document itself that stand twice or mean nothing, one text each. */
  readonly problems: readonly string[];
  /** Makes the result of `current`, which is of no use when it throws. @throws StatusError 400, 413, 422 */
  apply(schema: StructSchema, current: ApiObject): JsonObject;
}

const OPERATION_MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);
/** As many unknown members as are told of. */
const PROBLEMS_MAX = 100;

/** @throws StatusError 415 for a content type that is not one of a patch */
export function patchType(contentType: string | undefined): PatchType | typeof APPLY {
  const media = contentType === undefined ? '' : parseContentType(contentType);
  const found = SUPPORTED.find((type) => type === media);
  if (found) return found;
  throw new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${SUPPORTED.join(', ')}`,
  );
}

/** @throws StatusError 400 for a document that is not a patch of that type, 413 for one of too many values */
export function readPatch(type: PatchType, bytes: Buffer, { maxValues }: Pick<RequestLimits, 'maxValues'>): Patch {
  const parsed = parseDocument(bytes, maxValues);
  const document = parsed.value;
  const repeated = duplicatePaths(parsed).map((path) => `duplicate field "${path}"`);
  switch (type) {
    case 'application/json-patch+json':
      return {
        problems: [...repeated, ...unknownMembers(document)].map((problem) => `json patch ${problem}`),
        apply(schema, current) {
          const type = declaredType(schema, { zeros: true });
          return asObject(apply(() => applyJsonPatch(current as JsonObject, document, { type })));
        },
      };
    case 'application/merge-patch+json':
      return {
        problems: repeated,
        apply: (_schema, current) => asObject(apply(() => applyMergePatch(current as JsonObject, asObject(document)))),
      };
    case 'application/strategic-merge-patch+json':
      return {
        problems: repeated,
        apply: (schema, current) => apply(() => strategicMergePatch(schema, current as JsonObject, asObject(document))),
      };
  }
}

/** Members of operations that no operation has. */
function unknownMembers(operations: JsonValue): string[] {
  const found: string[] = [];
  if (!Array.isArray(operations)) return found;
  for (const [at, operation] of operations.entries()) {
    if (typeof operation !== 'object' || operation === null) continue;
    for (const name of Object.keys(operation)) {
      if (!OPERATION_MEMBERS.has(name)) found.push(`unknown field "[${at}].${name}"`);
    }
    if (found.length >= PROBLEMS_MAX) break;
  }
  return found;
}

function parseDocument(bytes: Buffer, maxValues: number): ParsedJson {
  try {
    return parseJson(bytes, { maxValues });
  } catch (error) {
    if (error instanceof TooManyValuesError) throw tooManyValues(error.limit);
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

function asObject(value: JsonValue): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw badRequest('error decoding patch: it does not make an object');
}

/** Patches that are not patches are 400; patches that do not fit this object are 422. */
function apply<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const detail = error instanceof Error ? error.message : 'cannot be applied';
    if (error instanceof MalformedPatchError) throw badRequest(detail);
    if (error instanceof PatchTooLargeError) {
      throw new StatusError('RequestEntityTooLarge', `Request entity too large: ${detail}`);
    }
    // Clients print the message only of a Status with details, be they empty.
    throw new StatusError('Invalid', `the server rejected our request due to an error in our request: ${detail}`, {});
  }
}
