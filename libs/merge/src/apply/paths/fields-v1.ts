import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { type FieldSet, LevelBuilder, NO_FIELDS } from './field-set.js';
import { PathElementError, parsePathElement } from './path-element.js';

/** Member that says that the child itself is in the set beside what is below it. */
const SELF = '.';

/** `fieldsV1` that is no set of fields. */
export class FieldsV1Error extends Error {
  override readonly name = 'FieldsV1Error';
}

/**
 * Sets by the objects that they were read from or written to, so that nobody reads what was only carried along. Those
 * objects are never changed in place.
 */
const known = new WeakMap<JsonObject, FieldSet>();

/** @throws FieldsV1Error for what is no set of fields */
export function readFieldsV1(json: JsonValue | undefined): FieldSet {
  if (json === undefined || json === null) return NO_FIELDS;
  if (!isObject(json)) throw new FieldsV1Error('fieldsV1 must be an object');
  const kept = known.get(json);
  if (kept) return kept;
  try {
    const set = readLevel(json) ?? NO_FIELDS;
    known.set(json, set);
    return set;
  } catch (error) {
    if (error instanceof PathElementError) throw new FieldsV1Error(`parsing key as path element: ${error.message}`);
    throw error;
  }
}

function readLevel(json: JsonObject): FieldSet | undefined {
  const level = new LevelBuilder();
  for (const name of Object.keys(json)) {
    if (name === SELF) continue;
    const element = parsePathElement(name);
    if (element === undefined) continue;
    const content = json[name] ?? null;
    if (content !== null && !isObject(content)) throw new FieldsV1Error(`an object was expected at ${name}`);
    const below = content === null ? undefined : readLevel(content);
    level.add(element, below === undefined || Object.hasOwn(content as JsonObject, SELF), below);
  }
  return level.build();
}

/** The set as `fieldsV1`, its members in the reference's order. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const json = writeLevel(set, false);
  known.set(json, set);
  return json;
}

function writeLevel(set: FieldSet, self: boolean): JsonObject {
  const json: JsonObject = {};
  if (self) json[SELF] = {};
  for (const { element, member, below } of set.nodes) {
    setMember<JsonValue | undefined>(json, element.text, below ? writeLevel(below, member) : {});
  }
  return json;
}

/** The set as the text of `fieldsV1`, byte for byte as the reference writes it. */
export function fieldsV1Text(set: FieldSet): string {
  return `{${levelText(set, false)}}`;
}

function levelText(set: FieldSet, self: boolean): string {
  let text = self ? '".":{}' : '';
  for (const { element, member, below } of set.nodes) {
    if (text !== '') text += ',';
    text += below ? `${element.json}{${levelText(below, member)}}` : `${element.json}{}`;
  }
  return text;
}
