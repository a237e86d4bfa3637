import {
  copy,
  type FieldError,
  goType,
  type JsonObject,
  setMember,
  validateAnnotations,
  validateLabels,
} from '@orch/machinery';
import { isObject, type Json, objectAt } from '../../values/fields.js';

/** Thrown for metadata that a webhook may not answer with; the message is that of the reference. */
export class MetadataRefused extends Error {}

/** The members of metadata that a webhook may change, with their validation. */
const CHANGEABLE = [
  ['labels', (labels: Record<string, string>) => validateLabels(labels, 'metadata.labels')],
  ['annotations', (annotations: Record<string, string>) => validateAnnotations(annotations, 'metadata.annotation')],
] as const;

/**
 * Returns the metadata of a converted object: that of the original, except for labels and annotations.
 * @throws MetadataRefused for labels and annotations that are malformed, or changed and invalid
 */
export function restoredMetadata(original: Readonly<JsonObject>, converted: Readonly<Json>): Json {
  if (!Object.hasOwn(converted, 'metadata')) throw new MetadataRefused('missing metadata in converted object');
  const { metadata: answered } = converted;
  if (!isObject(answered))
    throw new MetadataRefused(`invalid metadata of type ${goType(answered)} in converted object`);
  const metadata: Json = { ...copy(objectAt(original, 'metadata')) };
  for (const [name, judge] of CHANGEABLE) {
    const texts = textsOf(name, answered[name]);
    if (texts === undefined) delete metadata[name];
    else {
      refuseInvalid(objectAt(metadata, name), texts, judge);
      metadata[name] = texts;
    }
  }
  return metadata;
}

/** Returns the members of labels or annotations; undefined for none. @throws MetadataRefused for a malformed value */
function textsOf(name: string, value: unknown): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value))
    throw new MetadataRefused(`invalid metadata.${name} of type ${goType(value)} in converted object`);
  const texts: Record<string, string> = {};
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') {
      throw new MetadataRefused(
        `metadata.${name}[${key}] must be a string, but is ${goType(text)} in converted object`,
      );
    }
    setMember(texts, key, text);
  }
  return texts;
}

/** Refuses invalid members, unless nothing has changed. @throws MetadataRefused */
function refuseInvalid(
  before: Readonly<Json>,
  texts: Record<string, string>,
  judge: (texts: Record<string, string>) => FieldError[],
): void {
  const keys = Object.keys(texts);
  const isSame = keys.length === Object.keys(before).length && keys.every((key) => before[key] === texts[key]);
  const errors = isSame ? [] : judge(texts);
  if (errors.length > 0) throw new MetadataRefused(aggregate(errors));
}

/** Joins distinct errors into one text. */
function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
