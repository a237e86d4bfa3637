import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject, jsonSize } from '../../json-values.js';
import { markCurrent } from '../managed/current-fields.js';
import type { Type } from '../types/type.js';
import { Bits } from './bits.js';
import { type Enumeration, enumerate } from './enumeration.js';
import { fieldsAt, fieldsTextAt, placesOf } from './places.js';

/** First of every compact form; another number will mean another form. */
const FORM = 1;

/**
 * Entries of `managedFields` against the object that they belong to, to be stored beside it: the form, the fingerprint of
 * the object's places, and the entries.
 */
export type CompactFields = [form: number, fingerprint: string, ...entries: JsonValue[]];

/**
 * What is stored cannot be expanded: it is damaged, or the object or its type is not what it was. Nothing of it is used
 * then, for a place that is counted wrongly would be somebody else's.
 */
export class CompactFieldsError extends Error {
  override readonly name = 'CompactFieldsError';
}

/** Members of an entry in their order, which says all of an entry but its fields. */
type PackedEntry = [
  manager: string,
  operation: 0 | 1,
  apiVersion: string,
  time: JsonValue,
  subresource: string,
  fields: JsonValue,
];

const MEMBERS = new Set(['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource']);

/**
 * The short form of an object's entries: the fields of each as bits over the places of the object. An entry that owns
 * what the object does not have, or is written otherwise than the server writes, stays as it is.
 * @param type of the object as it is stored
 * @returns undefined when there are no entries, or the short form is none
 */
export function compactFields(
  type: Type,
  object: JsonObject,
  entries: JsonValue | undefined,
): CompactFields | undefined {
  if (!Array.isArray(entries) || entries.length === 0) return undefined;
  const enumeration = enumerate(type, object);
  const packed = entries.map((entry) => pack(enumeration, object.apiVersion, entry) ?? entry);
  const compact: CompactFields = [FORM, enumeration.fingerprint, ...packed];
  return packed.some((entry, i) => entry !== entries[i]) && isShorter(compact, entries) ? compact : undefined;
}

/** The form and fingerprint take some 30 bytes, and an entry's fields a bit for each place: little is longer than that. */
const isShorter = (compact: CompactFields, entries: readonly JsonValue[]): boolean =>
  jsonSize(compact) < jsonSize([...entries]);

function pack(
  enumeration: Enumeration,
  objectVersion: JsonValue | undefined,
  entry: JsonValue,
): JsonValue[] | undefined {
  if (!isObject(entry) || entry.fieldsType !== 'FieldsV1' || !isPlain(entry)) return undefined;
  const { manager, operation, apiVersion, time, subresource, fieldsV1 } = entry;
  if (typeof manager !== 'string' || typeof apiVersion !== 'string' || manager === '' || apiVersion === '')
    return undefined;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  const bits = placesOf(enumeration, fieldsV1);
  if (bits === undefined) return undefined;
  const version = apiVersion === objectVersion ? '' : apiVersion;
  const packed: PackedEntry = [
    manager,
    operation === 'Apply' ? 1 : 0,
    version,
    packTime(time),
    String(subresource ?? ''),
    bits.toString(),
  ];
  return packed;
}

/** Whether an entry has just the members that the server writes, in its order. */
function isPlain(entry: JsonObject): boolean {
  const names = Object.keys(entry);
  const plain = [...MEMBERS].filter((name) => entry[name] !== undefined);
  const { time, subresource } = entry;
  return (
    names.length === plain.length &&
    names.every((name, i) => name === plain[i]) &&
    (time === undefined || typeof time === 'string') &&
    (subresource === undefined || (typeof subresource === 'string' && subresource !== ''))
  );
}

/** Whole seconds since 1970 where that says the same; 0 for no time. */
function packTime(time: JsonValue | undefined): JsonValue {
  if (typeof time !== 'string') return 0;
  const seconds = Math.floor(Date.parse(time) / 1000);
  return seconds > 0 && timeText(seconds) === time ? seconds : time;
}

const timeText = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/**
 * The entries again, as they were.
 * @param object the object as it was when the form was made, with or without entries
 * @throws CompactFieldsError
 */
export function expandFields(type: Type, object: JsonObject, compact: JsonValue): JsonObject[] {
  return unpackAll(type, object, compact, (enumeration, bits) => markCurrent(type, fieldsAt(enumeration, bits)));
}

/**
 * The entries again, as the text of their list: what {@link expandFields} gives, written.
 * @throws CompactFieldsError
 */
export function expandFieldsText(type: Type, object: JsonObject, compact: JsonValue): string {
  const entries = unpackAll(type, object, compact, (enumeration, bits) => fieldsTextAt(enumeration, bits));
  return `[${entries.map(entryText).join(',')}]`;
}

/** An entry whose fields are a text already; others are as they were. */
function entryText(entry: JsonObject): string {
  const { fieldsV1, subresource, ...head } = entry;
  if (typeof fieldsV1 !== 'string') return JSON.stringify(entry);
  const part = subresource === undefined ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  return `${JSON.stringify(head).slice(0, -1)},"fieldsV1":${fieldsV1}${part}}`;
}

function unpackAll(
  type: Type,
  object: JsonObject,
  compact: JsonValue,
  fields: (enumeration: Enumeration, bits: Bits) => JsonValue,
): JsonObject[] {
  if (!Array.isArray(compact)) throw new CompactFieldsError('no list');
  const [form, fingerprint, ...entries] = compact;
  if (form !== FORM) throw new CompactFieldsError(`form ${String(form)} is not known`);
  const enumeration = enumerate(type, object);
  if (fingerprint !== enumeration.fingerprint) {
    throw new CompactFieldsError('the object or its type is not the one that the fields were counted in');
  }
  return entries.map((entry) =>
    Array.isArray(entry) ? unpack(enumeration, object.apiVersion, entry, fields) : kept(entry),
  );
}

function kept(entry: JsonValue): JsonObject {
  if (isObject(entry)) return entry;
  throw new CompactFieldsError('an entry is no entry');
}

function unpack(
  enumeration: Enumeration,
  objectVersion: JsonValue | undefined,
  packed: readonly JsonValue[],
  fields: (enumeration: Enumeration, bits: Bits) => JsonValue,
): JsonObject {
  const [manager, operation, version, time, subresource, text] = packed;
  const bits = typeof text === 'string' ? Bits.parse(text, enumeration.elements.length) : undefined;
  const apiVersion = version === '' ? objectVersion : version;
  if (bits === undefined || packed.length !== 6 || typeof manager !== 'string' || typeof apiVersion !== 'string') {
    throw new CompactFieldsError('an entry is damaged');
  }
  if ((operation !== 0 && operation !== 1) || typeof subresource !== 'string') {
    throw new CompactFieldsError('an entry is damaged');
  }
  return {
    manager,
    operation: operation === 1 ? 'Apply' : 'Update',
    apiVersion,
    ...(time !== 0 && { time: unpackTime(time) }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields(enumeration, bits),
    ...(subresource !== '' && { subresource }),
  };
}

function unpackTime(time: JsonValue | undefined): string {
  if (typeof time === 'string') return time;
  if (typeof time === 'number' && Number.isSafeInteger(time) && Math.abs(time) < 8e12) return timeText(time);
  throw new CompactFieldsError('an entry is damaged');
}
