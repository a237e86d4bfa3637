import { type JsonObject, type JsonValue, memberOf, setMember } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import type { Type } from '../types/type.js';
import { typeOfField } from './everything.js';

/** Objects of one type side by side, such as what is live and what is said. One that is absent is undefined. */
export type Row = readonly (JsonValue | undefined)[];

/** Values of a piece, about. Objects that hold no more are not divided. */
const PIECE = 512;

/** Objects that are known to hold more than there was room for: to begin to go through very many members takes long. */
type Wide = Set<JsonValue>;

/**
 * Divides objects of a type that hold very many values, so that others may come first between one piece and the next. Each piece
 * holds some members of the whole, with the objects that lead to them; a member is in the same piece of all objects of the row.
 * So walks that look at members one by one find in the pieces, one after another, what they find in the whole. Lists, and what is
 * owned as a whole, are not divided. Nothing is changed; pieces share with the whole.
 */
export function* piecesOf(type: Type, row: Row): Generator<Row, void, unknown> {
  const wide: Wide = new Set();
  const { map } = type;
  if (weightOf(row, wide) > PIECE && map && isDivisible(type, row)) yield* divided(map, row, wide);
  else yield row;
}

const isDivisible = ({ map }: Type, row: Row): boolean =>
  map !== undefined && !map.atomic && row.every((value) => value === undefined || isObject(value));

function* divided(map: NonNullable<Type['map']>, row: Row, wide: Wide): Generator<Row, void, unknown> {
  let [piece, weight] = [emptied(row), 0];
  for (const name of namesOf(row)) {
    const members = row.map((value) => (isObject(value) ? memberOf(value, name) : undefined));
    const type = typeOfField(map, map.fields.get(name));
    const values = weightOf(members, wide);
    const below = values > PIECE && type.map && isDivisible(type, members) ? type.map : undefined;
    // What stands before it comes before it.
    if (weight > 0 && (below || weight + values > PIECE)) {
      yield piece;
      [piece, weight] = [emptied(row), 0];
    }
    if (below) for (const part of divided(below, members, wide)) yield put(emptied(row), name, part);
    else {
      put(piece, name, members);
      weight += values;
    }
  }
  if (weight > 0) yield piece;
}

const emptied = (row: Row): (JsonObject | undefined)[] => row.map((value) => (value === undefined ? undefined : {}));

function put(piece: (JsonObject | undefined)[], name: string, members: Row): Row {
  piece.forEach((object, i) => {
    const member = members[i];
    if (object && member !== undefined) setMember(object, name, member);
  });
  return piece;
}

/** The names of all members of a row, those of the first object first. */
function* namesOf(row: Row): Generator<string, void, unknown> {
  for (const [i, value] of row.entries()) {
    if (!isObject(value)) continue;
    const before = row.slice(0, i).filter(isObject);
    for (const name of Object.keys(value)) {
      if (!before.some((object) => Object.hasOwn(object, name))) yield name;
    }
  }
}

/** How many values are in a row, or that they are more than a piece holds. */
function weightOf(row: Row, wide: Wide): number {
  let weight = 0;
  for (const value of row) if (weight <= PIECE && value !== undefined) weight += valuesIn(value, PIECE - weight, wide);
  return weight;
}

/** Of lists, which are not divided, only the length counts: to look into those of ordinary objects would take longer than all else here. */
function valuesIn(value: JsonValue, most: number, wide: Wide): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) return 1 + value.length;
  if (wide.size > 0 && wide.has(value)) return most + 1;
  let values = 1;
  for (const name in value) {
    const member = value[name];
    values += typeof member === 'object' && member !== null ? valuesIn(member, most - values, wide) : 1;
    if (values <= most) continue;
    wide.add(value);
    break;
  }
  return values;
}

/** What walks over pieces have made of them, put together again: `null` is what a part of the whole that was emptied has become. */
export function joinPieces(whole: JsonObject, piece: JsonObject): void {
  for (const name of Object.keys(piece)) {
    const [had, value] = [memberOf(whole, name), piece[name]];
    if (isObject(had) && isObject(value)) joinPieces(had, value);
    else if (had === undefined || had === null) setMember(whole, name, value);
  }
}
