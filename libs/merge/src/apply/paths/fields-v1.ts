import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { PIECE } from '../piece.js';
import { atOnce, descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { Pace, weightOf } from '../values/few.js';
import { FieldSet, LevelBuilder, NO_FIELDS } from './field-set.js';
import type { PathElement } from './path-element.js';
import { elementOf, FieldsV1Error, SELF } from './written-level.js';

/** Decodes a whole `fieldsV1` of any writer. @throws FieldsV1Error for what is no set of fields */
export function readFieldsV1(json: JsonValue | undefined): FieldSet {
  return atOnce(readInSteps(json));
}

/** Same as {@link readFieldsV1}, in steps: a client may send very large ones. */
export function* readInSteps(json: JsonValue | undefined): Steps<FieldSet> {
  if (json === undefined || json === null) return NO_FIELDS;
  if (!isObject(json)) throw new FieldsV1Error('fieldsV1 must be an object');
  const level = weightOf(json) > PIECE ? yield* walked(divided(json)) : levelOf(json);
  return level ?? NO_FIELDS;
}

function levelOf(json: JsonObject): FieldSet | undefined {
  const level = new LevelBuilder();
  for (const text of Object.keys(json)) {
    const element = text === SELF ? undefined : elementOf(text);
    if (element === undefined) continue;
    const content = contentOf(json, text);
    add(level, element, content, content && levelOf(content));
  }
  return level.build();
}

/** Same as {@link levelOf}, in steps. */
function* divided(json: JsonObject): Walk<FieldSet | undefined> {
  const level = new LevelBuilder();
  const pace = new Pace();
  for (const text of Object.keys(json)) {
    const element = text === SELF ? undefined : elementOf(text);
    const content = element && contentOf(json, text);
    const weight = weightOf(content);
    const below = content && (weight > PIECE ? yield* descend(divided(content)) : levelOf(content));
    if (element) add(level, element, content, below);
    if (pace.isOver(weight)) yield STEP;
  }
  return yield* level.buildInSteps();
}

/** Content of a member of a level; undefined for nothing. @throws FieldsV1Error for what is no level */
function contentOf(json: JsonObject, text: string): JsonObject | undefined {
  const content = json[text] ?? null;
  if (content === null) return undefined;
  if (!isObject(content)) throw new FieldsV1Error(`an object was expected at ${text}`);
  return content;
}

/** @param below the decoded content */
function add(level: LevelBuilder, element: PathElement, content: JsonObject | undefined, below?: FieldSet): void {
  level.add(element, below === undefined || (content !== undefined && Object.hasOwn(content, SELF)), below);
}

/** The set of a whole `fieldsV1` that the server has written, cached; its levels are read on demand. */
export function writtenSet(fieldsV1: JsonObject): FieldSet {
  let set = wholes.get(fieldsV1);
  if (set === undefined) {
    set = FieldSet.written(fieldsV1);
    wholes.set(fieldsV1, set);
  }
  return set;
}

/** The set as `fieldsV1`, its members in the reference's order: frozen, as the set shares it. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const fieldsV1 = set.trie(false);
  if (!wholes.has(fieldsV1)) {
    wholes.set(fieldsV1, set);
    made.set(fieldsV1, set);
  }
  return fieldsV1;
}

/** Returns the text of `fieldsV1`, byte for byte as the reference writes it. */
export const fieldsV1Text = (set: FieldSet): string => `{${set.text}}`;

/** Returns the text of a `fieldsV1` that was made from a set; undefined for any other. */
export function knownText(fieldsV1: JsonObject): string | undefined {
  const set = made.get(fieldsV1);
  return set && fieldsV1Text(set);
}

/** Sets by their `fieldsV1`, for whole sets only: a table of every level would cost more than the levels. */
const wholes = new WeakMap<JsonObject, FieldSet>();

/** Sets that are known because the JSON was made from them. */
const made = new WeakMap<JsonObject, FieldSet>();
