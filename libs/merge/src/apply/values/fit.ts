import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { fieldElement, type PathElement } from '../paths/path-element.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { formOf, type ListType, type MapType, type ScalarForm, type Type } from '../types/type.js';
import { areFew, Pace, weightOf } from './few.js';
import { ItemError, itemElement, sequenceInSteps, sequenceOf } from './list-items.js';

/** Reason why a value does not fit. */
type MisfitReason = 'type-mismatch' | 'unknown-field' | 'duplicate-key' | 'missing-key';

/** A value that does not fit its type. */
export interface Misfit {
  /** Machine-readable reason; the message says the same. */
  readonly reason: MisfitReason;
  /** Human-readable path: `.spec.containers[name="a"].image`. */
  readonly path: string;
  /** Message in the reference's wording. */
  readonly message: string;
}

/**
 * Finds values that do not fit their type: other forms, undeclared fields, items that cannot be identified. Empty when
 * all fit; of very many the first.
 */
export function misfitsOf(type: Type, object: JsonObject): readonly Misfit[] {
  const found = new Found();
  check(type, object, undefined, found);
  return found.misfits;
}

/** Limits of reported misfits, and of their characters: a path may be as long as a body, and so may be their number. */
const MOST_REPORTED = 100;
const MOST_CHARACTERS = 64 << 10;

class Found {
  readonly misfits: Misfit[] = [];
  #room = MOST_CHARACTERS;

  get full(): boolean {
    return this.misfits.length >= MOST_REPORTED || this.#room < 0;
  }

  add(reason: MisfitReason, trail: Trail | undefined, message: string): void {
    if (this.full) return;
    const path = pathOf(trail);
    this.misfits.push({ reason, path, message });
    this.#room -= path.length + message.length;
  }
}

/** Position of a value; formatted only when something is wrong. */
interface Trail {
  readonly above: Trail | undefined;
  readonly step: string | PathElement;
}

function pathOf(trail: Trail | undefined): string {
  if (trail === undefined) return '';
  const { above, step } = trail;
  return `${pathOf(above)}${typeof step === 'string' ? fieldElement(step) : step}`;
}

/** Formats misfits as one text, in the reference's form. */
export function misfitText(misfits: readonly Misfit[]): string {
  const lines = misfits.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return lines.length === 1 ? (lines[0] as string) : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}

function check(type: Type, value: JsonValue, trail: Trail | undefined, found: Found): void {
  if (value === null || found.full) return;
  const form = formOf(type, value);
  if (form === 'map' && type.map) checkMap(type.map, value, trail, found);
  else if (form === 'list' && type.list) checkList(type.list, value, trail, found);
  else if (!fitsScalar(type.scalar ?? 'untyped', value)) {
    found.add('type-mismatch', trail, scalarMessage(type.scalar ?? 'untyped', value));
  }
}

/** Same as {@link misfitsOf}, in steps. */
export function* misfitsInSteps(type: Type, object: JsonObject): Steps<readonly Misfit[]> {
  if (areFew(object)) return misfitsOf(type, object);
  const found = new Found();
  yield* walked(checkInSteps(type, object, undefined, found));
  return found.misfits;
}

/** Same as {@link check}, in steps. */
function* checkInSteps(type: Type, value: JsonValue, trail: Trail | undefined, found: Found): Walk<void> {
  const form = formOf(type, value);
  if (areFew(value) || found.full) check(type, value, trail, found);
  else if (form === 'map' && type.map && isObject(value)) yield* checkMembers(type.map, value, trail, found);
  else if (form === 'list' && type.list && Array.isArray(value)) yield* checkItems(type.list, value, trail, found);
  else check(type, value, trail, found);
}

function* checkMembers(map: MapType, value: JsonObject, trail: Trail | undefined, found: Found): Walk<void> {
  const pace = new Pace();
  for (const name of Object.keys(value)) {
    const member = value[name];
    const weight = weightOf(member);
    const type = map.fields.get(name)?.type ?? map.others;
    if (weight > PIECE && type && member !== undefined) {
      yield* descend(checkInSteps(type, member, { above: trail, step: name }, found));
    } else checkMember(type, name, member, trail, found);
    if (pace.isOver(weight)) yield STEP;
  }
}

function* checkItems(list: ListType, items: readonly JsonValue[], trail: Trail | undefined, found: Found): Walk<void> {
  const elements = (yield* sequenceInSteps(list, items))?.elements;
  const seen = new Set<string>();
  const pace = new Pace();
  for (const [i, item] of items.entries()) {
    const element = elements?.[i] ?? elementAt(list, i, item, trail, found);
    if (element === undefined) return;
    noteRepeated(element, seen, trail, found);
    const weight = weightOf(item);
    const below = { above: trail, step: element };
    if (weight > PIECE) yield* descend(checkInSteps(list.items, item, below, found));
    else check(list.items, item, below, found);
    if (pace.isOver(weight)) yield STEP;
  }
}

function checkMap(map: MapType, value: JsonValue, trail: Trail | undefined, found: Found): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    found.add('type-mismatch', trail, `expected map, got &{${printed(value)}}`);
    return;
  }
  for (const name of Object.keys(value)) {
    checkMember(map.fields.get(name)?.type ?? map.others, name, value[name], trail, found);
  }
}

/** @param type of a declared member */
function checkMember(
  type: Type | undefined,
  name: string,
  member: JsonValue | undefined,
  trail: Trail | undefined,
  found: Found,
): void {
  if (member === undefined || (type && isFitting(type, member))) return;
  const below = { above: trail, step: name };
  if (type) check(type, member, below, found);
  else found.add('unknown-field', below, 'field not declared in schema');
}

/** Whether a scalar fits, which is quick to check: most do, and need no trail. */
const isFitting = (type: Type, value: JsonValue): boolean =>
  typeof value !== 'object' && type.scalar !== undefined && fitsScalar(type.scalar, value);

function checkList(list: ListType, value: JsonValue, trail: Trail | undefined, found: Found): void {
  if (!Array.isArray(value)) {
    found.add('type-mismatch', trail, `expected list, got &{${printed(value)}}`);
    return;
  }
  const seen = new Set<string>();
  const elements = sequenceOf(list, value)?.elements;
  for (const [i, item] of value.entries()) {
    const element = elements?.[i] ?? elementAt(list, i, item, trail, found);
    if (element === undefined) return;
    noteRepeated(element, seen, trail, found);
    check(list.items, item, { above: trail, step: element }, found);
  }
}

function noteRepeated(element: PathElement, seen: Set<string>, trail: Trail | undefined, found: Found): void {
  if (seen.has(element.text)) found.add('duplicate-key', trail, `duplicate entries for key ${element}`);
  seen.add(element.text);
}

/** Without keys nothing further down the list can be named. */
function elementAt(
  list: ListType,
  index: number,
  item: JsonValue,
  trail: Trail | undefined,
  found: Found,
): PathElement | undefined {
  try {
    return itemElement(list, index, item);
  } catch (error) {
    if (!(error instanceof ItemError)) throw error;
    found.add('missing-key', trail, `element ${index}: ${error.message}`);
    return undefined;
  }
}

function fitsScalar(scalar: ScalarForm, value: JsonValue): boolean {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'untyped':
      return true;
    default:
      return typeof value === scalar;
  }
}

function scalarMessage(scalar: ScalarForm, value: JsonValue): string {
  if (scalar === 'numeric') return `expected numeric (int or float), got ${formName(value)}`;
  if (scalar === 'boolean') return `expected boolean, got &{${printed(value)}}`;
  return `expected string, got &value.valueUnstructured{Value:${spelled(value)}}`;
}

function formName(value: JsonValue): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Formats values as Go does, for the reference's messages. */
function printed(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`;
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort();
    return `map[${names.map((name) => `${name}:${printed(value[name] ?? null)}`).join(' ')}]`;
  }
  return value === null ? '<nil>' : String(value);
}

function spelled(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(spelled).join(', ')}}`;
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).sort();
    return `map[string]interface {}{${names.map((name) => `${JSON.stringify(name)}:${spelled(value[name] ?? null)}`).join(', ')}}`;
  }
  return value === null ? 'interface {}(nil)' : String(value);
}
