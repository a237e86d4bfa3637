import { decodeProtobufObject, decodeUnknown, parseJson, parseYaml, stringifyJson } from '@orch/codec';
import { type ApiObject, type JsonObject, type JsonValue, parseApiVersion } from '@orch/machinery';
import type { Scheme } from '@orch/schema';

/** Encodes an object for events: JSON on one line. */
export function objectText(object: ApiObject, omitManagedFields: boolean): string {
  return stringifyJson(omitManagedFields ? withoutManagedFields(object as JsonObject) : object);
}

/** Returns a JSON patch as it was sent, on one line; undefined for an invalid one. */
export function patchText(bytes: Buffer): string | undefined {
  try {
    return stringifyJson(parseJson(bytes).value);
  } catch {
    return undefined;
  }
}

/** Returns the body of an answer of any encoding; undefined for what is no object. */
export function answerText(
  contentType: string,
  body: Buffer,
  scheme: Scheme,
  omitManagedFields: boolean,
): string | undefined {
  try {
    const value = readBodyOf(contentType, body, scheme, omitManagedFields);
    if (typeof value === 'string') return value;
    return value && stringifyJson(omitManagedFields ? withoutManagedFields(value) : value);
  } catch {
    // Content that cannot be encoded is left out; the answer itself is not affected.
    return undefined;
  }
}

/** A text that needs no changes is not parsed. */
function readBodyOf(
  contentType: string,
  body: Buffer,
  scheme: Scheme,
  isChanged: boolean,
): JsonObject | string | undefined {
  if (contentType.startsWith('application/json')) {
    const text = body.toString().trimEnd();
    return isChanged || text.includes('\n') ? asObject(parseJson(body).value) : text;
  }
  if (contentType.startsWith('application/yaml')) return asObject(parseYaml(body).value);
  if (!contentType.startsWith(scheme.names.protobufMediaType)) return undefined;
  const { apiVersion, kind } = decodeUnknown(body);
  const of = parseApiVersion(apiVersion);
  const struct = of && scheme.kind(of.group, of.version, kind)?.schema;
  return struct && (decodeProtobufObject(struct, body) as JsonObject);
}

const asObject = (value: JsonValue): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;

/**
 * Removes `metadata.managedFields` from an object, from the items of a list, and from the objects in the rows of a
 * table.
 */
function withoutManagedFields(object: JsonObject): JsonObject {
  const plain = stripped(object);
  const { items, rows } = plain;
  if (Array.isArray(items)) return { ...plain, items: items.map(strippedValue) };
  if (Array.isArray(rows)) return { ...plain, rows: rows.map(strippedRow) };
  return plain;
}

function strippedRow(row: JsonValue): JsonValue {
  const known = asObject(row);
  return known?.object === undefined ? row : { ...known, object: strippedValue(known.object) };
}

function strippedValue(value: JsonValue): JsonValue {
  const known = asObject(value);
  return known ? stripped(known) : value;
}

function stripped(object: JsonObject): JsonObject {
  const metadata = asObject(object.metadata ?? null);
  if (metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
