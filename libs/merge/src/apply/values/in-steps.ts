import type { JsonObject } from '@orch/machinery';
import type { FieldSet } from '../paths/field-set.js';
import { unionInSteps } from '../paths/set-algebra.js';
import { STEP, type Steps } from '../steps.js';
import type { Type } from '../types/type.js';
import { type Comparison, compareObjects } from './compare.js';
import { fieldSetOf, namedSetOf } from './field-set-of.js';
import { mergeObjects } from './merge.js';
import { joinPieces, piecesOf } from './pieces.js';
import { removeFields } from './remove.js';

/*
 * Walks over objects of any size, a piece at a time. They come to what the walks come to that they are named after, and throw
 * what those throw.
 */

type Pair = readonly [JsonObject, JsonObject];

/** As {@link compareObjects}. */
export function* compareInSteps(type: Type, before: JsonObject, after: JsonObject): Steps<Comparison> {
  const found = yield* eachPiece(type, [before, after], ([a, b]: Pair) => compareObjects(type, a, b));
  const [only] = found;
  if (only && found.length === 1) return only;
  const set = yield* unionInSteps(found.map((one) => one.set));
  return { set, removed: yield* unionInSteps(found.map((one) => one.removed)) };
}

/** As {@link fieldSetOf}. */
export const ownedInSteps = (type: Type, object: JsonObject): Steps<FieldSet> => drawnInSteps(type, object, fieldSetOf);

/** As {@link namedSetOf}. */
export const namedInSteps = (type: Type, object: JsonObject): Steps<FieldSet> => drawnInSteps(type, object, namedSetOf);

function* drawnInSteps(type: Type, object: JsonObject, draw: typeof fieldSetOf): Steps<FieldSet> {
  return yield* unionInSteps(yield* eachPiece(type, [object], ([piece]: readonly [JsonObject]) => draw(type, piece)));
}

/** As {@link mergeObjects}. */
export const mergeInSteps = (type: Type, live: JsonObject, said: JsonObject): Steps<JsonObject> =>
  joined(eachPiece(type, [live, said], ([a, b]: Pair) => mergeObjects(type, a, b)));

/** As {@link removeFields}. */
export function* removeInSteps(type: Type, object: JsonObject, fields: FieldSet): Steps<JsonObject> {
  if (fields.isEmpty) return object;
  return yield* joined(
    eachPiece(type, [object], ([piece]: readonly [JsonObject]) => removeFields(type, piece, fields)),
  );
}

/** What a walk makes of each piece of some objects. */
function* eachPiece<Objects extends readonly JsonObject[], T>(
  type: Type,
  objects: Objects,
  walk: (piece: Objects) => T,
): Steps<T[]> {
  const made: T[] = [];
  for (const piece of piecesOf(type, objects)) {
    if (made.length > 0) yield STEP;
    made.push(walk(piece as unknown as Objects));
  }
  return made;
}

function* joined(making: Steps<JsonObject[]>): Steps<JsonObject> {
  const [whole = {}, ...others] = yield* making;
  for (const other of others) {
    joinPieces(whole, other);
    yield STEP;
  }
  return whole;
}
