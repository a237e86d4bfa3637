import type { ReadObject } from '@orch/codec';
import {
  type ApiObject,
  badRequest,
  type FieldError,
  invalid,
  invalidValue,
  type JsonObject,
  parseApiVersion,
  type StatusError,
} from '@orch/machinery';
import type { ObjectModel, OtherVersion } from '@orch/resources';
import { inSlices } from '@orch/runtime/work';
import { readMade } from '@orch/writing';
import type { PatchType } from './patch-document.js';

/** Type and name of the object that is patched. */
interface PatchedObject {
  /** The other versions of its kind; default none. */
  readonly otherVersion?: ((apiVersion: string) => OtherVersion | undefined) | undefined;
  readonly kind: string | undefined;
  readonly apiVersion: string | undefined;
  readonly name: string;
}

/** Replaces a value that must not appear where messages are kept, such as the audit log. */
const UNSAID = '...';

/**
 * Builds the 422 error for a patched object that cannot be read. It names no kind, as in the reference, but unlike
 * there it does not quote the object, which may be a Secret.
 */
const unreadablePatch = (message: string): StatusError => invalid('', '', '', [invalidValue('patch', UNSAID, message)]);

/**
 * Restores the type of a patched object, as far as release 1.27 ignores that a patch changes it: a strategic patch is
 * applied to a declared type, and any other result is decoded again by the kind and version that it names. Mutates
 * `patched`.
 * @returns the version to decode it in, where it names another version of its kind
 * @throws StatusError 422 for another type, 400 where no version is left
 */
export function keepType(
  type: PatchType,
  patched: JsonObject,
  object: PatchedObject,
  model: ObjectModel,
): OtherVersion | undefined {
  const { kind, apiVersion } = patched;
  if (kind === object.kind && apiVersion === object.apiVersion) return undefined;
  let other: OtherVersion | undefined;
  if (type === 'application/strategic-merge-patch+json') for (const text of [kind, apiVersion]) checkText(text);
  else if (model.struct) other = checkDeclared(patched, object, model);
  else checkCustom(patched, object);
  patched.kind = object.kind ?? '';
  patched.apiVersion = object.apiVersion ?? '';
  return other;
}

function checkText(value: unknown): void {
  if (value !== undefined && value !== null && typeof value !== 'string')
    throw unreadablePatch(`cannot convert ${typeof value} to string`);
}

function checkDeclared(
  { kind, apiVersion }: JsonObject,
  object: PatchedObject,
  { alsoFrom }: ObjectModel,
): OtherVersion | undefined {
  if ((kind ?? '') !== '' && kind !== object.kind) throw unreadablePatch(`the kind is not ${object.kind}`);
  // Decoded in the internal version of the reference, which has no member called metadata.
  if ((apiVersion ?? '') === '') {
    throw badRequest(`the name of the object (${object.name} based on URL) was undeterminable: name must be provided`);
  }
  if (apiVersion === object.apiVersion || alsoFrom.includes(String(apiVersion))) return undefined;
  const other = typeof apiVersion === 'string' ? object.otherVersion?.(apiVersion) : undefined;
  if (!other) throw unreadablePatch(`the apiVersion is not ${object.apiVersion}`);
  return other;
}

/**
 * Decodes a patched object.
 * @param other the version that it names: fields unknown to that version are dropped, and absent ones get its defaults
 */
export async function readPatched(model: ObjectModel, patched: JsonObject, other?: OtherVersion): Promise<ReadObject> {
  if (!other) return readMade(model, patched, unreadablePatch);
  const { declared, toServed } = other;
  if (!declared) return readMade(model, converted(patched, other), unreadablePatch);
  const { object, problems } = await readMade(declared.model, patched, unreadablePatch);
  await inSlices(declared.model.fillDefaults(object));
  declared.rules.defaults(object);
  return { object: toServed(object), problems };
}

/** Converts a patched object to the served version; its values have not been validated yet. @throws StatusError 422 */
function converted(patched: JsonObject, { toServed }: OtherVersion): JsonObject {
  try {
    return toServed(patched as ApiObject) as JsonObject;
  } catch (error) {
    throw error instanceof TypeError ? unreadablePatch('an object of another version has other values') : error;
  }
}

/**
 * Refuses another kind. Bodies of custom kinds are decoded whatever their kind is, so the error is one of validation.
 */
function checkCustom({ kind, apiVersion }: JsonObject, object: PatchedObject): never {
  const group = typeof apiVersion === 'string' ? parseApiVersion(apiVersion)?.group : undefined;
  if (typeof kind !== 'string' || kind === '' || typeof apiVersion !== 'string' || group === undefined)
    throw unreadablePatch('an object of a custom kind names its kind and its apiVersion');
  const errors: FieldError[] = [];
  if (kind !== object.kind) errors.push(invalidValue('kind', kind, `must be ${object.kind}`));
  if (apiVersion !== object.apiVersion)
    errors.push(invalidValue('apiVersion', apiVersion, `must be ${object.apiVersion}`));
  throw invalid(kind, group, object.name, errors);
}
