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
import { type ObjectModel, tooManyValues } from '@orch/resources';
import { type APPLY_PATCH, PATCH_TYPES, STRATEGIC_PATCH } from '@orch/schema';
import type { RequestLimits } from '../deps.js';

/** Content type of a patch of a document. */
export type PatchType = Exclude<(typeof PATCH_TYPES)[number], typeof APPLY_PATCH>;

const WITHOUT_STRUCT = PATCH_TYPES.filter((type) => type !== STRATEGIC_PATCH);

/** A patch ready to be applied to any number of objects. */
interface Patch {
  /** Fields of the document itself that stand twice or mean nothing, one text each. */
  readonly problems: readonly string[];
  /**
   * Makes the result of `current`, which is of no use when it throws.
   * @throws StatusError 400, 413, 422; 415 for a strategic patch of an object that has no struct
   */
  apply(model: ObjectModel, current: ApiObject): JsonObject;
}

const OPERATION_MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);
/** Number of unknown fields that are reported. */
const PROBLEMS_MAX = 100;

/**
 * @param model of the resource that is patched.
 * @throws StatusError 415 for a content type that is not one of its patches
 */
export function patchType(contentType: string | undefined, model: ObjectModel): PatchType | typeof APPLY_PATCH {
  const media = contentType === undefined ? '' : parseContentType(contentType);
  const supported = model.struct ? PATCH_TYPES : WITHOUT_STRUCT;
  const found = supported.find((type) => type === media);
  if (found) return found;
  throw unknownPatch(supported);
}

const unknownPatch = (supported: readonly string[]) =>
  new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
  );

/** @throws StatusError 400 for a document that is not a patch of that type, 413 for one of too many values */
export function readPatch(type: PatchType, bytes: Buffer, { maxValues }: Pick<RequestLimits, 'maxValues'>): Patch {
  const parsed = parseDocument(bytes, maxValues);
  const document = parsed.value;
  const repeated = duplicatePaths(parsed).map((path) => `duplicate field "${path}"`);
  switch (type) {
    case 'application/json-patch+json':
      return {
        problems: [...repeated, ...unknownMembers(document)].map((problem) => `json patch ${problem}`),
        apply({ struct }, current) {
          const written = struct && { type: declaredType(struct, { zeros: true }) };
          return asObject(apply(() => applyJsonPatch(current as JsonObject, document, written)));
        },
      };
    case 'application/merge-patch+json':
      return {
        problems: repeated,
        apply: (_model, current) => asObject(apply(() => applyMergePatch(current as JsonObject, asObject(document)))),
      };
    case STRATEGIC_PATCH:
      return {
        problems: repeated,
        apply: ({ struct }, current) => {
          if (!struct) throw unknownPatch(WITHOUT_STRUCT);
          return apply(() => strategicMergePatch(struct, current as JsonObject, asObject(document)));
        },
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
