import { type FieldError, invalidValue, type JsonObject, shownUntyped } from '@orch/machinery';
import type { Effort } from './effort.js';
import { childOf, embeddedIn } from './embedded-objects.js';
import type { Json } from './json.js';
import { MalformedObject, readMetadata } from './metadata-reader.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';
import { UnknownFields } from './unknown-fields.js';

/**
 * Normalizes types and metadata of the embedded objects in a value, in place and in steps; their kinds need not exist.
 * @param dropMalformed drops members that cannot be decoded
 * @returns paths of unknown members of their metadata, at most 100
 * @throws MalformedObject for types and metadata that cannot be decoded
 */
export function* normalizeEmbedded(
  object: unknown,
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

/** Limits of reported unknown members of metadata, and of the characters of their paths. */
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
    // A value that is no metadata at all is left to validation.
    if (dropMalformed) return undefined;
    throw malformed(invalidValue(childOf(path, 'metadata'), shownUntyped(object.metadata), error.message));
  }
}

const malformed = ({ field, message }: FieldError): MalformedObject => new MalformedObject(`${field}: ${message}`);
