import { parseStoredJson, stringifyJson } from '@orch/codec';
import { type ApiObject, ensureMetadata, type JsonObject, type ObjectMeta } from '@orch/machinery';
import { packOwners, readOwners, storedOwners, unpackOwners } from '@orch/merge';
import { inSlices } from '@orch/runtime/work';
import { atOnce, type Steps } from '@orch/schema';
import type { BodyCodec, SplitBody } from '@orch/storage';
import { endOfValue } from '../decoding/json-ranges.js';
import { embedTexts, noteTexts, stringifyMembers } from '../representation/opaque-members.js';
import { LatelyDivided } from './lately-divided.js';
import type { Stored } from './stored.js';
import type { StoredForm } from './stored-form.js';
import { weakMemo } from './weak-memo.js';

/** Beginning of every stored body; the rest is spliced behind the version. */
export const OPENING = '{"metadata":{';
/** Bytes behind the opening of a body with managedFields: these come first, so that they are found without parsing. */
const OWNERS = '"managedFields":';
const OWNERS_AT = OPENING.length + OWNERS.length;
const CLOSING = 0x7d;
/** End of the managedFields before the next member of metadata. */
const OWNERS_END = Buffer.from('}],"');

/** `meta` as a little-endian number, and the positions of this word and of the opening's last brace. */
const META = Buffer.from('meta').readUInt32LE();
const META_AT = 2;

/** Whether a body begins as every one does. Called for each that is read, so it checks no more than necessary. */
const beginsRight = (body: Buffer): boolean =>
  body.length > OPENING.length &&
  body.readUInt32LE(META_AT) === META &&
  body[OPENING.length - 1] === OPENING.charCodeAt(OPENING.length - 1);

const reordered = weakMemo((body: Buffer) => {
  try {
    const { metadata, ...rest } = parseStoredJson(body) as ApiObject;
    return Buffer.from(stringifyJson({ metadata: metadata ?? {}, ...rest }));
  } catch {
    // What is no JSON is reported by its reader.
    return body;
  }
});

/** Returns a stored body in its canonical form, whatever wrote it: people repair objects by hand, in SQL. */
const orderly = (body: Buffer): Buffer => (beginsRight(body) ? body : reordered(body));

/** A kind in its stored form. */
interface StoredKind {
  /** Versions that stored objects may be in. */
  readonly form: StoredForm;
  readonly storage: { readonly kind: string };
  readonly storageApiVersion: string;
}

/**
 * Returns the stored form of an object of the storage version: metadata first, without apiVersion, kind and
 * resourceVersion.
 */
export function toStoredBody(object: ApiObject, { form }: { readonly form: StoredForm }): Buffer {
  return bodyOf(form.fromHub?.(object) ?? object);
}

/** Returns the stored form of an object in its own version. */
export function bodyOf({ apiVersion: _version, kind: _kind, metadata, ...rest }: ApiObject): Buffer {
  const { resourceVersion: _resourceVersion, managedFields = [], ...meta } = metadata ?? {};
  const body = Buffer.from(stringifyMembers({ metadata: meta, ...rest }));
  if (managedFields.length === 0) return body;
  const { length, packed, writeTo } = storedOwners(managedFields, stringifyJson);
  const whole = withOwners(body, length, writeTo);
  if (packed) lately.note(whole, { body, owners: packed });
  return whole;
}

/** Returns the stored form of an object without its managedFields, with their text from another body of it. */
export function bodyWithOwners(object: ApiObject, owners: Buffer): Buffer {
  const body = bodyOf(object);
  return owners.length === 0 ? body : withOwners(body, owners.length, (out, at) => void owners.copy(out, at));
}

const lately = new LatelyDivided();

/** Position behind the bracket that ends the managedFields of a stored body; 0 if there are none. */
function ownersEnd(body: Buffer): number {
  if (body.length <= OWNERS_AT || body.toString('latin1', OPENING.length, OWNERS_AT) !== OWNERS) return 0;
  // Quotes within strings are escaped, and no letter follows one that ends a string: this quote opens the next name.
  let end = body.indexOf(OWNERS_END, OWNERS_AT);
  while (end >= 0 && !isLetter(body[end + OWNERS_END.length])) end = body.indexOf(OWNERS_END, end + 1);
  return end < 0 ? 0 : end + 2;
}

const isLetter = (byte = 0) => byte >= 0x61 && byte <= 0x7a;

/**
 * Stores managedFields in a column of their own, in few bytes. So a row holds little more than the object, and a server
 * of a release without this column finds the body that it always found.
 */
export const ownersApart: BodyCodec = {
  split: (body) => lately.partsOf(body) ?? divided(body),
  join(body, owners) {
    try {
      const text = unpackOwners(owners);
      return withOwners(orderly(body), text.length, (out, at) => void text.copy(out, at));
    } catch (error) {
      // A later release may have written them.
      if (error instanceof RangeError) return body;
      throw error;
    }
  },
};

function divided(body: Buffer): SplitBody {
  const text = ownersOf(body);
  const owners = text.length === 0 ? undefined : packOwners(text);
  return owners ? { body: withoutOwners(body), owners } : { body, owners: null };
}

/** Returns a stored body with the text of managedFields, of the given length. */
function withOwners(body: Buffer, length: number, writeTo: (out: Buffer, at: number) => void): Buffer {
  const separator = body[OPENING.length] === CLOSING ? '' : ',';
  const whole = Buffer.allocUnsafe(body.length + OWNERS.length + length + separator.length);
  whole.write(`${OPENING}${OWNERS}`, 0, 'latin1');
  writeTo(whole, OWNERS_AT);
  const end = OWNERS_AT + length;
  whole.write(separator, end, 'latin1');
  body.copy(whole, end + separator.length, OPENING.length);
  return whole;
}

/** Returns the text of the managedFields of a stored body; empty if there are none. */
export const ownersOf = (body: Buffer): Buffer => body.subarray(OWNERS_AT, Math.max(OWNERS_AT, ownersEnd(body)));

/** Returns a stored body without its managedFields. */
export function withoutOwners(body: Buffer): Buffer {
  const end = ownersEnd(body);
  if (end === 0) return body;
  const rest = Buffer.allocUnsafe(OPENING.length + body.length - end - 1);
  rest.write(OPENING, 0, 'latin1');
  body.copy(rest, OPENING.length, end + 1);
  return rest;
}

/**
 * Decodes the object of a stored body, as the storage version declares it whatever its stored version is, with its type
 * and version filled in, and the defaults that are younger than the body.
 * @throws ConversionError for a body of a version that this release does not know
 */
export function fromStored(stored: Stored, endpoint: StoredKind): ApiObject {
  const { form, storage, storageApiVersion } = endpoint;
  const object = filledObject(stored, form, storage.kind, storageApiVersion);
  if (stored.version !== 0n) ensureMetadata(object).resourceVersion = String(stored.version);
  return form.toHub(form.versionOf(stored))?.(object) ?? object;
}

/** Returns the object of a stored body in its stored version, without resourceVersion. */
export function asItLies(stored: Omit<Stored, 'version'>, form: StoredForm, kind: string): ApiObject {
  return filledObject(stored, form, kind, form.apiVersionOf(form.versionOf(stored)));
}

function filledObject(stored: Omit<Stored, 'version'>, form: StoredForm, kind: string, apiVersion: string): ApiObject {
  const body = orderly(stored.body);
  const ahead = form.fillsInSteps && !form.isFilled(stored) ? filledBefore(stored, form).get(body) : undefined;
  const object: ApiObject = { kind, apiVersion, ...readBody(ahead ?? body) };
  if (ahead) return object;
  noteTexts(object, form.opaque, body);
  form.fill(stored, object);
  return object;
}

/** Bodies with defaults filled in, by their stored version; each is cached as long as the stored body lives. */
const filled = weakMemo((_form: StoredForm) => new Map<string, WeakMap<Buffer, Buffer>>());

function filledBefore(stored: Pick<Stored, 'storedVersion'>, form: StoredForm): WeakMap<Buffer, Buffer> {
  const byVersion = filled(form);
  const version = form.versionOf(stored);
  const known = byVersion.get(version) ?? new WeakMap<Buffer, Buffer>();
  byVersion.set(version, known);
  return known;
}

/** Bodies as they are in answers, for kinds whose objects hold texts that are preserved. */
const embedded = weakMemo((form: StoredForm) => weakMemo((body: Buffer) => embedTexts(body, form.opaque)));

/** Returns a stored body as it appears in responses; the same buffer if nothing has to be changed. */
export function filledBody(stored: Omit<Stored, 'version'>, form: StoredForm): Buffer {
  const body = withDefaults(stored, form);
  return form.opaque.length === 0 ? body : embedded(form)(body);
}

/** Returns a stored body with the defaults that are younger than it. */
function withDefaults(stored: Omit<Stored, 'version'>, form: StoredForm): Buffer {
  const body = orderly(stored.body);
  if (form.isFilled(stored)) return body;
  const before = filledBefore(stored, form);
  const known = before.get(body);
  if (known) return known;
  const whole = atOnce(filling(body, stored, form));
  before.set(body, whole);
  return whole;
}

/**
 * Fills in many defaults that are younger than a stored body, in steps between which other work runs: readers of the
 * body, or of its object, find it filled then. Returns undefined if there is nothing to wait for; an unreadable body is
 * reported by its reader.
 */
export function fillAhead(stored: Omit<Stored, 'version'>, form: StoredForm): Promise<void> | undefined {
  if (!form.fillsInSteps || form.isFilled(stored)) return undefined;
  const body = orderly(stored.body);
  const before = filledBefore(stored, form);
  if (before.has(body)) return undefined;
  const keep = (whole: Buffer) => {
    if (!before.has(body)) before.set(body, whole);
  };
  try {
    const whole = inSlices(filling(body, stored, form));
    if (whole instanceof Promise) return whole.then(keep, () => undefined);
    keep(whole);
  } catch {
    // A reader of the body will get the same error.
  }
  return undefined;
}

/** Bytes of a stored body, with those younger defaults that have been filled in so far. */
export function lengthSoFar(stored: Omit<Stored, 'version'>, form: StoredForm): number {
  const { body } = stored;
  return form.isFilled(stored) ? body.length : (filledBefore(stored, form).get(body) ?? body).length;
}

/** Fills in defaults; keeps managedFields, as no manager owns a default that it did not send. */
function* filling(body: Buffer, lying: Omit<Stored, 'version' | 'body'>, form: StoredForm): Steps<Buffer> {
  const bare = withoutOwners(body);
  const object = parseStoredJson(bare) as ApiObject;
  noteTexts(object, form.opaque, bare);
  yield;
  yield* form.fillInSteps(lying, object);
  yield;
  const { metadata, ...rest } = object;
  const text = stringifyMembers({ metadata: metadata ?? {}, ...rest });
  yield;
  const whole = Buffer.from(text);
  if (whole.equals(bare)) return body;
  const owners = ownersOf(body);
  return owners.length === 0 ? whole : withOwners(whole, owners.length, (out, at) => owners.copy(out, at));
}

/** Reads the metadata of a stored body, without managedFields and without reading the rest. */
export function metadataOf(body: Buffer): ObjectMeta {
  const bare = withoutOwners(body);
  const end = endOfValue(bare, OPENING.length - 1) ?? bare.length;
  return parseStoredJson(bare.subarray(OPENING.length - 1, end)) as ObjectMeta;
}

/** Parses a stored body. Objects with the same owned fields share these parts of their managedFields. */
function readBody(body: Buffer): JsonObject {
  const text = ownersOf(body);
  const managedFields = text.length === 0 ? undefined : readOwners(text, parseStoredJson);
  if (managedFields === undefined) return parseStoredJson(body);
  const value = parseStoredJson(`${OPENING}${body.toString('utf8', OWNERS_AT + text.length + 1)}`);
  ensureMetadata(value).managedFields = managedFields;
  return value;
}
