import { goType, plainText } from '@orch/machinery';
import { dropNulls } from './defaulting.js';
import { Effort } from './effort.js';
import { normalizeEmbedded } from './embedded-metadata.js';
import type { Json } from './json.js';
import { MalformedObject, readMetadata } from './metadata-reader.js';
import { prune } from './prune.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';
import { UnknownFields } from './unknown-fields.js';

/** Options for normalizing an object, by its origin and its definition. */
export interface NormalizeOptions {
  /** Drops undecodable types and metadata instead of refusing them, as for stored objects; default false. */
  readonly dropMalformed?: boolean;
  /** Disables pruning and dropping of nulls, as old definitions can ask for; default false. */
  readonly preserveUnknownFields?: boolean;
  /** Budget that counts work between pauses; default one of its own. */
  readonly effort?: Effort;
}

/**
 * Normalizes an object from a client, the store, or a webhook to its schema, in place and in steps: unknown members are
 * dropped, as are meaningless nulls, and metadata, its own and that of embedded objects, is brought to its type.
 * Defaults are filled in afterwards.
 * @returns paths of the unknown members that were dropped: of the metadata, of the object, of the metadata in it; at
 * most 100 of each
 * @throws MalformedObject for types and metadata that cannot be decoded
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
