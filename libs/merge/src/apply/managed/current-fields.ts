import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import type { FieldSet, Node } from '../paths/field-set.js';
import { elementOf, SELF } from '../paths/written-level.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { isUndeclared, type Type } from '../types/type.js';
import { areFew, Pace, weightOf } from '../values/few.js';
import { reconcileInSteps } from '../values/reconcile.js';
import type { Owners } from './entries.js';
import type { ManagedKind } from './kind.js';
import type { Owner } from './owner.js';

/**
 * Adapts owners to the current types: drops those of versions that are gone, and turns parts of atomic values into the
 * whole.
 */
export function* currentOwners(kind: ManagedKind, owners: Owners): Steps<Map<string, Owner>> {
  const current = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const type = kind.typesOf(owner.identity.apiVersion)?.stored;
    if (type === undefined) continue;
    const same = isKnownToFit(type, owner.written) || (yield* isCurrent(type, owner.written));
    current.set(id, same ? owner : owner.with(yield* reconcileInSteps(type, owner.fields)));
  }
  return current;
}

/** Written sets that were found to fit a type. They are immutable. */
const fitting = new WeakMap<JsonObject, Type>();

const isKnownToFit = (type: Type, fieldsV1: JsonValue | undefined): boolean =>
  isObject(fieldsV1) && fitting.get(fieldsV1) === type;

/**
 * Whether a written set owns no part of an atomic value, so that there is nothing to {@link reconcile}. Reads no more
 * than necessary.
 */
function* isCurrent(type: Type, fieldsV1: JsonValue | undefined): Steps<boolean> {
  if (!isObject(fieldsV1)) return false;
  if (!(areFew(fieldsV1) ? isLevelCurrent(type, fieldsV1) : yield* walked(isCurrentInSteps(type, fieldsV1))))
    return false;
  fitting.set(fieldsV1, type);
  return true;
}

function isLevelCurrent(type: Type, level: JsonObject): boolean {
  const known = isKnownCurrent(type);
  if (known !== undefined) return known;
  for (const text in level) {
    const below = level[text];
    const under = typeAt(type, text, below);
    if (under && !isLevelCurrent(under, below as JsonObject)) return false;
  }
  return true;
}

/** Same as {@link isLevelCurrent}. */
function* isCurrentInSteps(type: Type, level: JsonObject): Walk<boolean> {
  const known = isKnownCurrent(type);
  if (known !== undefined) return known;
  const pace = new Pace();
  for (const text of Object.keys(level)) {
    const below = level[text];
    const weight = weightOf(below);
    const under = typeAt(type, text, below);
    const current =
      under === undefined ||
      (weight > PIECE
        ? yield* descend(isCurrentInSteps(under, below as JsonObject))
        : isLevelCurrent(under, below as JsonObject));
    if (!current) return false;
    if (pace.isOver(weight)) yield STEP;
  }
  return true;
}

/**
 * Whether all levels of a type are current, or none with content below it is; undefined if that depends on the level.
 */
function isKnownCurrent({ map, list }: Type): boolean | undefined {
  if (map ? isUndeclared(map) : !list) return true;
  return (map ? map.atomic : list?.relation === 'atomic') ? false : undefined;
}

/** The type of a level below another; undefined if there is none, or it is unknown. @throws FieldsV1Error */
function typeAt({ map, list }: Type, text: string, below: JsonValue | undefined): Type | undefined {
  if (!isObject(below) || !hasBelow(below)) return undefined;
  const element = elementOf(text);
  return map ? (map.fields.get(element?.name ?? '')?.type ?? map.others) : list?.items;
}

/** Whether a level has anything beside the place itself. */
function hasBelow(level: JsonObject): boolean {
  for (const text in level) if (text !== SELF) return true;
  return false;
}

/**
 * Whether a written set may own some of a set of changes. Looks only where there are changes, so that sets of many
 * managers are not read at each write. Never false when it does own one.
 */
function mayTouch(changes: FieldSet, fieldsV1: JsonValue | undefined): boolean {
  if (!isObject(fieldsV1)) return true;
  if (changes.nodes.length > FEW) return mayBeAmong(changes, fieldsV1);
  return changes.nodes.some((node) => {
    const written = fieldsV1[node.element.text];
    return written !== undefined && mayOwn(node, written);
  });
}

/**
 * More changes than these are searched for the owned fields, not the other way round: thousands may own a field each.
 */
const FEW = 8;

function mayBeAmong(changes: FieldSet, fieldsV1: JsonObject): boolean {
  for (const text in fieldsV1) {
    const node = changes.atText(text);
    if (node && mayOwn(node, fieldsV1[text])) return true;
  }
  return false;
}

const mayOwn = ({ member, below }: Node, written: JsonValue | undefined): boolean =>
  member || (below !== undefined && mayTouch(below, written));

const isLittle = (changes: FieldSet, written: JsonObject): boolean => !changes.isMany && areFew(written);

/** Same as {@link mayTouch}, in steps. */
export function* mayTouchInSteps(changes: FieldSet, fieldsV1: JsonValue | undefined): Steps<boolean> {
  if (!isObject(fieldsV1) || isLittle(changes, fieldsV1)) return mayTouch(changes, fieldsV1);
  yield STEP;
  return yield* walked(mayTouchLevel(changes, fieldsV1));
}

function* mayTouchLevel(changes: FieldSet, fieldsV1: JsonObject): Walk<boolean> {
  const nodes = yield* changes.readLevel();
  yield STEP;
  const pace = new Pace();
  const isFew = nodes.length <= FEW;
  if (!isFew) yield* changes.index();
  for (const text of isFew ? nodes.map(({ element }) => element.text) : Object.keys(fieldsV1)) {
    if (pace.isOver()) yield STEP;
    const written = fieldsV1[text];
    const node = written === undefined ? undefined : changes.atText(text);
    if (node && (node.member || (yield* mayTouchBelow(node.below, written)))) return true;
  }
  return false;
}

function* mayTouchBelow(changes: FieldSet | undefined, written: JsonValue | undefined): Walk<boolean> {
  if (changes === undefined) return false;
  if (!isObject(written) || isLittle(changes, written)) return mayTouch(changes, written);
  return yield* descend(mayTouchLevel(changes, written));
}
