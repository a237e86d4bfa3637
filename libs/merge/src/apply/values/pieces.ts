import { type JsonObject, type JsonValue, memberOf, setMember } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { STEP, type Steps } from '../steps.js';
import type { ListType, MapType, Type } from '../types/type.js';
import { typeOfField } from './everything.js';
import { keepSequence, LONGEST_KEPT, Sequence, sequenceInSteps } from './list-items.js';

/** Objects of one type side by side, such as what is live and what is said. One that is absent is undefined. */
export type Row = readonly (JsonValue | undefined)[];

/** Values of a row that are walked over in one step: to divide what holds no more takes longer than it is worth. */
export const AT_ONCE = 2_048;
/** Values of a piece, about. */
const PIECE = 512;
/** Members among which one is looked for that holds little. */
const LOOKED_AT = 8;

/** Objects that are known to hold more than there was room for: to begin to go through very many members takes long. */
export type Wide = Set<JsonValue>;

/** Which lists are divided: their items as well, of which a part then stands in several pieces with the keys; or only the lists. */
export type Depth = 'into items' | 'to items';

type Pieces = Generator<Row | typeof STEP, void, unknown>;

/**
 * Divides objects of a type that hold very many values, so that others may come first between one piece and the next, and at each step
 * that it asks for itself. Each piece holds some members or items of the whole, with the objects that lead to them; a member is in the
 * same pieces of all objects of the row, mostly in one, and what holds anything is empty in no piece. So walks that look at members one by one find in
 * the pieces, one after another, what they find in the whole; items stand in the order of the first list. Lists whose items cannot be
 * told apart, and what is owned as a whole, are not divided. Nothing is changed; pieces share with the whole.
 */
export function* piecesOf(type: Type, row: Row, depth: Depth = 'into items'): Pieces {
  const wide: Wide = new Set();
  if (weightOf(row, wide, AT_ONCE) > AT_ONCE && isDivisible(type, row)) yield* new Division(wide, depth).of(type, row);
  else yield row;
}

const isDivisible = (type: Type, row: Row): boolean =>
  mapOf(type, row) !== undefined || listOf(type, row) !== undefined;

/** How the objects of a row are owned, where they are divided. */
const mapOf = ({ map }: Type, row: Row): MapType | undefined =>
  map && !map.atomic && row.every((value) => value === undefined || isObject(value)) ? map : undefined;

const listOf = ({ list }: Type, row: Row): ListType | undefined =>
  list && list.relation !== 'atomic' && row.every((value) => value === undefined || Array.isArray(value))
    ? list
    : undefined;

/** The ways to divide, for one row. */
class Division {
  /** How items are told apart is known for as long as somebody holds it. */
  readonly #held: (Sequence | undefined)[] = [];

  constructor(
    private readonly wide: Wide,
    private readonly depth: Depth,
  ) {}

  *of(type: Type, row: Row): Pieces {
    const [map, list] = [mapOf(type, row), listOf(type, row)];
    if (map) yield* this.#members(map, row);
    else if (list) yield* this.#items(list, row);
  }

  *#members(map: MapType, row: Row): Pieces {
    let [piece, weight] = [emptied(row), 0];
    for (const name of namesOf(row)) {
      const members = membersAt(row, name);
      const type = typeOfField(map, map.fields.get(name));
      const values = weightOf(members, this.wide, PIECE);
      const below = values > PIECE && isDivisible(type, members);
      // What stands before it comes before it.
      if (weight > 0 && (below || weight + values > PIECE)) {
        yield this.#filled(row, piece);
        [piece, weight] = [emptied(row), 0];
      }
      if (below) {
        for (const part of this.of(type, members))
          yield part === STEP ? STEP : this.#filled(row, put(emptied(row), name, part));
      } else {
        put(piece, name, members);
        weight += values;
      }
    }
    if (weight > 0) yield this.#filled(row, piece);
  }

  /** A piece with a member of each object that has any: one that is empty says that it was. */
  #filled(row: Row, piece: (JsonObject | undefined)[]): Row {
    row.forEach((object, i) => {
      if (!isObject(object) || hasMembers(piece[i])) return;
      const name = this.#lightOf(object);
      if (name !== undefined) put(piece, name, membersAt(row, name));
    });
    return piece;
  }

  /** The first of the first few members that holds little; where none does, the first of all. */
  #lightOf(object: JsonObject): string | undefined {
    let [first, looked]: [string | undefined, number] = [undefined, 0];
    for (const name in object) {
      if (weightOf([memberOf(object, name)], this.wide, PIECE) <= PIECE) return name;
      first ??= name;
      if (++looked === LOOKED_AT) break;
    }
    return first;
  }

  *#items(list: ListType, row: Row): Pieces {
    const places = yield* ListPlaces.of(list, row);
    if (places === undefined) {
      yield row;
      return;
    }
    let [piece, weight, at] = [[] as string[], 0, 0];
    for (const text of places.texts) {
      if (at++ % PIECE === 0) yield STEP;
      const items = places.itemsOf(text);
      const values = weightOf(items, this.wide, PIECE);
      const isLarge = values > PIECE && isDivisible(list.items, items);
      const below = isLarge && this.depth === 'into items';
      if (isLarge && !below) for (const item of items) yield* this.#tellApart(list.items, item);
      if (piece.length > 0 && (below || weight + values > PIECE || piece.length === LONGEST_KEPT)) {
        yield places.piece(piece);
        [piece, weight] = [[], 0];
      }
      if (below) {
        for (const part of this.of(list.items, items))
          yield part === STEP ? STEP : places.part(text, withKeys(list, items, part));
      } else {
        piece.push(text);
        weight += values;
      }
    }
    if (piece.length > 0) yield places.piece(piece);
  }

  /** Has the items of long lists in a value told apart that is not divided, which is most of what it takes to walk over it. */
  *#tellApart(type: Type, value: JsonValue | undefined): Steps<void> {
    if (value === undefined || valuesIn(value, PIECE, this.wide) <= PIECE) return;
    const [map, list] = [mapOf(type, [value]), listOf(type, [value])];
    if (map && isObject(value)) {
      for (const name of Object.keys(value))
        yield* this.#tellApart(typeOfField(map, map.fields.get(name)), memberOf(value, name));
    } else if (list && Array.isArray(value)) {
      this.#held.push(yield* sequenceInSteps(list, value));
      for (const item of value) yield* this.#tellApart(list.items, item);
    }
  }
}

/** The items of lists of one type side by side, by the texts of their elements. */
class ListPlaces {
  private constructor(
    private readonly list: ListType,
    private readonly row: Row,
    private readonly sequences: readonly (Sequence | undefined)[],
    private readonly places: readonly ReadonlyMap<string, number>[],
    /** Of all items, those of the first list first. */
    readonly texts: ReadonlySet<string>,
  ) {}

  /** Undefined where items cannot be told apart. */
  static *of(list: ListType, row: Row): Steps<ListPlaces | undefined> {
    const sequences: (Sequence | undefined)[] = [];
    const places: Map<string, number>[] = [];
    const texts = new Set<string>();
    for (const items of row) {
      const sequence = Array.isArray(items) ? yield* sequenceInSteps(list, items) : undefined;
      const place = new Map<string, number>();
      if (Array.isArray(items) && sequence === undefined) return undefined;
      for (const [at, { text }] of (sequence?.elements ?? []).entries()) {
        if (at % PIECE === 0) yield STEP;
        if (place.has(text)) return undefined;
        place.set(text, at);
        texts.add(text);
      }
      sequences.push(sequence);
      places.push(place);
    }
    return new ListPlaces(list, row, sequences, places, texts);
  }

  itemsOf(text: string): Row {
    return this.row.map((items, i) => {
      const at = this.places[i]?.get(text);
      return at === undefined || !Array.isArray(items) ? undefined : items[at];
    });
  }

  /** The lists with some of their items. */
  piece(texts: readonly string[]): Row {
    const all = this.#withEach(texts);
    return this.row.map((items, i) => {
      if (!Array.isArray(items)) return undefined;
      const at = [...all].flatMap((text) => this.places[i]?.get(text) ?? []);
      const elements = this.sequences[i]?.elements ?? [];
      keepSequence(this.list, new Sequence(at.flatMap((place) => elements[place] ?? [])));
      return at.map((place) => items[place] ?? null);
    });
  }

  /** The lists with a part of one of their items. */
  part(text: string, part: Row): Row {
    const others = this.piece([text]);
    return others.map((items, i) => {
      const whole = this.row[i];
      if (!Array.isArray(items) || !Array.isArray(whole)) return undefined;
      const at = this.places[i]?.get(text);
      const item = at === undefined ? undefined : whole[at];
      return items.map((each) => (each === item ? (part[i] ?? each) : each));
    });
  }

  /** With an item of each list that has any: one that is empty says that it was. */
  #withEach(texts: readonly string[]): ReadonlySet<string> {
    const all = new Set(texts);
    for (const place of this.places) {
      if (place.size === 0 || texts.some((text) => place.has(text))) continue;
      const [first = ''] = place.keys();
      all.add(first);
    }
    return all;
  }
}

/** A part of an item says which item it is of. */
function withKeys(list: ListType, items: Row, part: Row): Row {
  part.forEach((object, i) => {
    const item = items[i];
    if (!isObject(object) || !isObject(item)) return;
    for (const name of list.keys) {
      const value = memberOf(item, name);
      if (value !== undefined) setMember(object, name, value);
    }
  });
  return part;
}

const membersAt = (row: Row, name: string): Row =>
  row.map((value) => (isObject(value) ? memberOf(value, name) : undefined));

function hasMembers(object: JsonObject | undefined): boolean {
  for (const _ in object) return true;
  return false;
}

const emptied = (row: Row): (JsonObject | undefined)[] => row.map((value) => (value === undefined ? undefined : {}));

function put(piece: (JsonObject | undefined)[], name: string, members: Row): (JsonObject | undefined)[] {
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

/** How many values are in a row, or that they are more than so many. */
export function weightOf(row: Row, wide: Wide, most: number): number {
  let weight = 0;
  for (const value of row) if (weight <= most && value !== undefined) weight += valuesIn(value, most - weight, wide);
  return weight;
}

function valuesIn(value: JsonValue, most: number, wide: Wide): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (wide.size > 0 && wide.has(value)) return most + 1;
  const values = Array.isArray(value) ? valuesInItems(value, most, wide) : valuesInMembers(value, most, wide);
  if (values > most) wide.add(value);
  return values;
}

function valuesInItems(items: readonly JsonValue[], most: number, wide: Wide): number {
  let values = 1 + items.length;
  for (let i = 0; i < items.length && values <= most; i++) {
    const item = items[i];
    if (typeof item === 'object' && item !== null) values += valuesIn(item, most - values, wide);
  }
  return values;
}

function valuesInMembers(object: JsonObject, most: number, wide: Wide): number {
  let values = 1;
  for (const name in object) {
    const member = object[name];
    values += typeof member === 'object' && member !== null ? valuesIn(member, most - values, wide) : 1;
    if (values > most) break;
  }
  return values;
}

/** What walks over pieces have made of them, put together again: `null` is what a part of the whole that was emptied has become. */
export function joinPieces(whole: JsonObject, piece: JsonObject): void {
  for (const name of Object.keys(piece)) {
    const [had, value] = [memberOf(whole, name), piece[name]];
    if (isObject(had) && isObject(value)) joinPieces(had, value);
    else if (Array.isArray(had) && Array.isArray(value)) for (const item of value) had.push(item);
    else if (had === undefined || had === null) setMember(whole, name, value);
  }
}
