import type { FieldError, JsonObject } from '@orch/machinery';
import { goType, invalidValue, plainText, shownUntyped } from '@orch/machinery';
import { dropNulls } from './defaulting.js';
import { Effort } from './effort.js';
import { childOf, embeddedIn } from './embedded-objects.js';
import type { Json } from './json.js';
import { MalformedObject, readMetadata } from './metadata-reader.js';
import { prune } from './prune.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';
import { UnknownFields } from './unknown-fields.js';

/** Where an object comes from, and what its definition asks for. */
export interface NormalizeOptions {
  /**
   * What cannot be read of types and metadata is dropped instead of refused, as for objects that come from the store; default false.
   */
  readonly dropMalformed?: boolean;
  /** Nothing is pruned, nor are nulls dropped: as definitions of old can ask for; default false. */
  readonly preserveUnknownFields?: boolean;
  /** Counts what is done between turns of others; default an effort of its own. */
  readonly effort?: Effort;
}

/**
 * Makes of an object that came from a client, the store, or a webhook what the schema has room for, in place and in steps: members that
 * it does not know are dropped, as are nulls that mean nothing, and metadata, its own and that of whole objects in it, is made to be of
 * its type. Defaults are filled in afterwards.
 * @returns paths of the members that were dropped because nobody knows them: of the metadata, of the object, of the metadata in it;
 * at most 100 of each
 * @throws MalformedObject for types and metadata that cannot be read
 */
export function* normalizeObject(
  object: Json,
  schema: StructuralSchema,
  options: NormalizeOptions = {},
): Steps<string[]> {
  const { dropMalformed = false, preserveUnknownFields = false, effort = Effort.inSteps() } = options;
  for (const name of ['kind', 'apiVersion']) readType(object, name);
  const [inMetadata, inObject] = [new UnknownFields('metadata'), new UnknownFields()];
  const metadata = Object.hasOwn(object, 'metadata')
    ? yield* readMetadata(object.metadata, dropMalformed, effort, inMetadata)
    : undefined;
  if (!preserveUnknownFields) {
    yield* prune(object, schema, effort, inObject);
    yield* dropNulls(object, schema, effort);
  }
  const inEmbedded = yield* normalizeEmbedded(object, schema, dropMalformed, effort);
  if (metadata) object.metadata = metadata;
  return [...inMetadata.paths, ...inObject.paths, ...inEmbedded];
}

function readType(object: Json, name: string): void {
  const value = object[name];
  if (value === undefined || typeof value === 'string') return;
  throw new MalformedObject(
    `.${name} accessor error: ${plainText(value)} is of the type ${goType(value)}, expected string`,
  );
}

/** The same for the whole objects in one, which need not be of the kinds that there are. */
function* normalizeEmbedded(
  object: Json,
  schema: StructuralSchema,
  dropMalformed: boolean,
  effort: Effort,
): Steps<string[]> {
  const found: string[] = [];
  let characters = 0;
  for (const embedded of embeddedIn(schema, object, '', effort)) {
    if (!embedded) {
      yield;
      continue;
    }
    for (const field of yield* normalizeOne(...embedded, dropMalformed, effort)) {
      if (found.length >= MOST_TOLD || characters > MOST_CHARACTERS) break;
      characters += field.length;
      found.push(field);
    }
  }
  return found.sort();
}

/** Returns the unknown members of its metadata. */
function* normalizeOne(object: Json, path: string, dropMalformed: boolean, effort: Effort): Steps<string[]> {
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(object, name) || typeof object[name] === 'string') continue;
    if (!dropMalformed)
      throw malformed(invalidValue(childOf(path, name), shownUntyped(object[name]), 'must be a string'));
    delete object[name];
  }
  if (!Object.hasOwn(object, 'metadata')) return [];
  const unknown = new UnknownFields(childOf(path, 'metadata'));
  const metadata = yield* embeddedMetadata(object, path, dropMalformed, effort, unknown);
  if (metadata) object.metadata = metadata;
  return unknown.paths;
}

/** Unknown members of metadata that are told, and characters of their paths after which no more are. */
const MOST_TOLD = 100;
const MOST_CHARACTERS = 1 << 20;

function* embeddedMetadata(
  object: Json,
  path: string,
  dropMalformed: boolean,
  effort: Effort,
  unknown: UnknownFields,
): Steps<JsonObject | undefined> {
  try {
    return yield* readMetadata(object.metadata, dropMalformed, effort, unknown);
  } catch (error) {
    if (!(error instanceof MalformedObject)) throw error;
    // What is no metadata at all is left for validation to find.
    if (dropMalformed) return undefined;
    throw malformed(invalidValue(childOf(path, 'metadata'), shownUntyped(object.metadata), error.message));
  }
}

const malformed = ({ field, message }: FieldError): MalformedObject => new MalformedObject(`${field}: ${message}`);
