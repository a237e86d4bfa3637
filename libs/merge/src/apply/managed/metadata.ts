import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';

/** Returns `metadata.managedFields`. */
export const managedFieldsOf = ({ metadata }: JsonObject): JsonValue | undefined =>
  isObject(metadata) ? metadata.managedFields : undefined;

/** The object with other entries, or with none. The object is not changed, and the result shares parts with it. */
export function withManagedFields(object: JsonObject, entries: JsonValue[] | undefined): JsonObject {
  const given = isObject(object.metadata) ? object.metadata : {};
  if (entries !== undefined && entries.length > 0) {
    return { ...object, metadata: { ...given, managedFields: entries } };
  }
  if (given.managedFields === undefined) return { ...object, metadata: { ...given } };
  const { managedFields: _, ...metadata } = given;
  return { ...object, metadata };
}

/** Sets entries in an object without any, which is a result of {@link withManagedFields} and so the caller's own. */
export function enter(object: JsonObject, entries: JsonValue[] | undefined): JsonObject {
  if (entries && entries.length > 0 && isObject(object.metadata)) object.metadata.managedFields = entries;
  return object;
}
