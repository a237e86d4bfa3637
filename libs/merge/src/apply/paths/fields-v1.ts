import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { STEP, type Steps } from '../steps.js';
import { Pace } from '../values/few.js';
import { elementOf, type FieldSet, FieldsV1Error, LevelBuilder, NO_FIELDS, SELF } from './field-set.js';

/** Reads the whole of a `fieldsV1`, whoever has written it. @throws FieldsV1Error for what is no set of fields */
export function readFieldsV1(json: JsonValue | undefined): FieldSet {
  const reading = readInSteps(json);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

/** As {@link readFieldsV1}, with steps in between: a client may send very many. */
export function* readInSteps(json: JsonValue | undefined): Steps<FieldSet> {
  if (json === undefined || json === null) return NO_FIELDS;
  if (!isObject(json)) throw new FieldsV1Error('fieldsV1 must be an object');
  return (yield* readLevel(json, new Pace())) ?? NO_FIELDS;
}

function* readLevel(json: JsonObject, pace: Pace): Steps<FieldSet | undefined> {
  const level = new LevelBuilder();
  for (const text of Object.keys(json)) {
    if (pace.isOver()) yield STEP;
    if (text === SELF) continue;
    const element = elementOf(text);
    if (element === undefined) continue;
    const content = json[text] ?? null;
    if (content !== null && !isObject(content)) throw new FieldsV1Error(`an object was expected at ${text}`);
    const below = content === null ? undefined : yield* readLevel(content, pace);
    level.add(element, below === undefined || Object.hasOwn(content as JsonObject, SELF), below);
  }
  return yield* level.buildInSteps();
}

/** The set as `fieldsV1`, its members in the reference's order: frozen, as the set shares it. */
export const writeFieldsV1 = (set: FieldSet): JsonObject => set.fieldsV1();

/** The set as the text of `fieldsV1`, byte for byte as the reference writes it. */
export const fieldsV1Text = (set: FieldSet): string => `{${set.text}}`;
