import type { JsonObject, JsonValue } from '@orch/machinery';
import { STEP, type Steps } from '../steps.js';
import { Pace } from '../values/few.js';
import type { LevelNodes } from './level-nodes.js';
import type { NodeOf } from './node.js';
import { type PathElement, PathElementError, parsePathElement } from './path-element.js';

/** Member of a level of `fieldsV1` that marks the place itself as in the set, beside the levels below it. */
export const SELF = '.';

/** Value in `fieldsV1` of an element with nothing below it. */
export const LEAF: JsonObject = Object.freeze({});

/** Thrown for `fieldsV1` that is no set of fields. */
export class FieldsV1Error extends Error {
  override readonly name = 'FieldsV1Error';
}

/** Decodes the levels below a place. */
type Read<Below> = (content: JsonObject) => Below;

/** Decodes one level of `fieldsV1` into an empty one. @throws FieldsV1Error */
export function nodesOf<Below>(
  written: JsonObject,
  level: LevelNodes<Below>,
  read: Read<Below>,
): readonly NodeOf<Below>[] {
  for (const text of Object.keys(written)) addWritten(level, text, written[text] ?? null, read);
  return level.nodes;
}

/** Same as {@link nodesOf}. */
export function* nodesInSteps<Below>(
  written: JsonObject,
  level: LevelNodes<Below>,
  read: Read<Below>,
): Steps<readonly NodeOf<Below>[]> {
  const pace = new Pace();
  for (const text of Object.keys(written)) {
    if (pace.isOver()) yield STEP;
    addWritten(level, text, written[text] ?? null, read);
  }
  return yield* level.nodesInSteps();
}

/** @throws FieldsV1Error */
function addWritten<Below>(level: LevelNodes<Below>, text: string, content: JsonValue, read: Read<Below>): void {
  if (text === SELF) return;
  const element = elementOf(text);
  if (element === undefined) return;
  const below = content !== null && hasBelow(content, text) ? read(content) : undefined;
  level.add(element, below === undefined || Object.hasOwn(content as JsonObject, SELF), below);
}

/**
 * Returns the element of a member of a level; undefined for kinds that later releases may know. @throws FieldsV1Error
 */
export function elementOf(text: string): PathElement | undefined {
  try {
    return parsePathElement(text);
  } catch (error) {
    if (error instanceof PathElementError) throw new FieldsV1Error(`parsing key as path element: ${error.message}`);
    throw error;
  }
}

/** Whether a level has anything beside the place itself. @throws FieldsV1Error for what is no level */
function hasBelow(content: JsonValue, text: string): content is JsonObject {
  if (typeof content !== 'object' || Array.isArray(content))
    throw new FieldsV1Error(`an object was expected at ${text}`);
  for (const name in content) if (name !== SELF) return true;
  return false;
}
