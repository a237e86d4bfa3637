import { type JsonObject, type JsonValue, memberOf, setMember } from '@orch/machinery';
import { isAlwaysWritten, type Schema, zeroOfField } from '@orch/schema';
import { MalformedPatchError, UnprocessablePatchError } from '../errors.js';
import { cloneJson, isObject, withoutNulls } from '../json-values.js';
import { type MergeRules, mergeRules } from './lookup.js';
import {
  checkOrder,
  type Identity,
  identityOf,
  identityOfValue,
  inOrder,
  isAmong,
  placesIn,
  serverOrderAfter,
} from './order.js';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder/';
const DELETE_ITEMS = '$deleteFromPrimitiveList/';

/** Merges an object by its schema; untyped without one. The object becomes the result, unless a directive replaces it. @throws PatchError */
export function mergeObject(result: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  if (memberOf(patch, DIRECTIVE) !== undefined) return directed(patch);
  retainKeys(result, patch);
  const ordered = mergeOrderedLists(result, patch, schema);
  for (const name of Object.keys(patch)) {
    const change = patch[name];
    if (change === undefined || (ordered.size > 0 && ordered.has(name))) continue;
    const directive = name.startsWith('$');
    if (directive && (name === RETAIN_KEYS || name.startsWith(SET_ORDER))) continue;
    if (directive && name.startsWith(DELETE_ITEMS)) deleteItems(result, name.slice(DELETE_ITEMS.length), change);
    else if (change === null) delete result[name];
    else if (typeof change !== 'object') setMember(result, name, change);
    else setMember(result, name, mergeMember(memberOf(result, name), name, change, schema));
  }
  return result;
}

/** `$patch: replace` makes the rest of the patch the result, `$patch: delete` leaves an empty object. */
function directed(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'replace') return cloneJson(rest) as JsonObject;
  if (directive === 'delete') return {};
  throw new MalformedPatchError('bad-directive', `unknown patch type in map: ${JSON.stringify(directive)}`);
}

function mergeMember(
  current: JsonValue | undefined,
  name: string,
  change: JsonValue,
  schema: Schema | undefined,
): JsonValue {
  if (isObject(change)) {
    const there = current ?? unsetStruct(schema, name);
    if (isObject(there)) {
      const rules = mergeRules(schema, name, 'object');
      return rules.strategy === 'replace' ? cloneJson(change) : mergeObject(there, change, rules.schema);
    }
  }
  if (Array.isArray(current) && Array.isArray(change)) {
    return mergeList(current, change, mergeRules(schema, name, 'list'));
  }
  return withoutNulls(change);
}

/** A struct that is part of every object, even if empty, exists for merging also if the object omits it. */
function unsetStruct(schema: Schema | undefined, name: string): JsonObject | undefined {
  const field = schema?.kind === 'struct' ? schema.fields.get(name) : undefined;
  return field && isAlwaysWritten(field) && isObject(zeroOfField(field)) ? {} : undefined;
}

/** `$retainKeys` lists all members that may stay; what the patch sets must be among them. */
function retainKeys(result: JsonObject, patch: JsonObject): void {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return;
  const malformed = () => new MalformedPatchError('bad-directive', 'invalid patch format of retainKeys');
  if (!Array.isArray(keys)) throw malformed();
  const retained = new Set(keys);
  for (const [name, change] of Object.entries(patch)) {
    const directive = name === RETAIN_KEYS || name.startsWith(SET_ORDER) || name.startsWith(DELETE_ITEMS);
    if (change !== null && !directive && !retained.has(name)) throw malformed();
  }
  for (const name of Object.keys(result)) if (!retained.has(name)) delete result[name];
}

/** `$deleteFromPrimitiveList/<name>`: items to remove from a list of scalars. */
function deleteItems(result: JsonObject, name: string, items: JsonValue): void {
  if (!Array.isArray(items)) throw new MalformedPatchError('bad-directive', 'invalid patch format of primitive list');
  const current = memberOf(result, name);
  if (!Array.isArray(current)) return;
  const deleted = new Set(items.map(identityOfValue));
  result[name] = current.filter((item) => !deleted.has(identityOfValue(item)));
}

/** Merges the lists whose order the patch gives; returns their names. */
function mergeOrderedLists(result: JsonObject, patch: JsonObject, schema: Schema | undefined): ReadonlySet<string> {
  const done = new Set<string>();
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(SET_ORDER)) continue;
    const order = patch[directive];
    const name = directive.slice(SET_ORDER.length);
    done.add(name);
    const [current, change] = [memberOf(result, name), memberOf(patch, name)];
    if (!Array.isArray(order) || !isListOrAbsent(current) || !isListOrAbsent(change)) {
      throw new MalformedPatchError('bad-directive', 'invalid patch format of setElementOrder list');
    }
    const rules = mergeRules(schema, name, 'list');
    checkOrder(change ?? [], order, rules.mergeKey);
    const merged = current && change ? mergeList(current, change, rules) : (current ?? change?.map(cloneJson));
    const serverOrder = serverOrderAfter(current ?? [], change ?? [], rules.mergeKey);
    if (merged) result[name] = inOrder(merged, order, serverOrder, rules.mergeKey);
  }
  return done;
}

const isListOrAbsent = (value: JsonValue | undefined): value is JsonValue[] | undefined =>
  value === undefined || Array.isArray(value);

/** Merges a list by its field's strategy. @throws PatchError */
function mergeList(original: readonly JsonValue[], patch: readonly JsonValue[], rules: MergeRules): JsonValue[] {
  if (rules.strategy === 'replace') return patch.map(cloneJson);
  if (original.length === 0 && patch.length === 0) return [];
  const objects = [...original, ...patch].filter((item) => isObject(item)).length;
  if (objects === 0) return mergeScalars(original, patch);
  if (objects < original.length + patch.length) {
    throw new UnprocessablePatchError('mixed-list', 'list element types are not identical');
  }
  if (rules.mergeKey === '') {
    throw new UnprocessablePatchError('missing-merge-key', 'cannot merge lists without merge key');
  }
  return mergeObjects(original, patch, rules.mergeKey, rules.schema);
}

function mergeScalars(original: readonly JsonValue[], patch: readonly JsonValue[]): JsonValue[] {
  const distinct = new Map<Identity, JsonValue>();
  for (const items of [original, patch]) for (const item of items) distinct.set(identityOfValue(item), item);
  return inOrder([...distinct.values()], patch, original, '');
}

function mergeObjects(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
  schema: Schema | undefined,
): JsonValue[] {
  const { base, changes } = applyItemDirectives(original, patch, mergeKey);
  const merged = [...base];
  const places = placesIn(merged, mergeKey);
  for (const change of changes) {
    const identity = identityOf(change, mergeKey);
    const place = places.get(identity);
    const current = place === undefined ? undefined : merged[place];
    if (place !== undefined && isObject(current) && isObject(change)) {
      merged[place] = mergeObject(current, change, schema);
    } else {
      places.set(identity, merged.length);
      merged.push(cloneJson(change));
    }
  }
  return inOrder(merged, changes, base, mergeKey);
}

interface Split {
  readonly base: readonly JsonValue[];
  readonly changes: readonly JsonValue[];
}

/** Applies the items of a patch that are directives: they delete an item, or make the rest replace the list. */
function applyItemDirectives(original: readonly JsonValue[], patch: readonly JsonValue[], mergeKey: string): Split {
  const deleted = new Set<Identity>();
  let replaces = false;
  const changes: JsonValue[] = [];
  for (const item of patch) {
    const directive = isObject(item) ? item.$patch : undefined;
    if (directive === undefined) changes.push(item);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'delete') deleted.add(identityOf(item, mergeKey));
    else {
      throw new MalformedPatchError('bad-directive', `unknown patch type in list: ${JSON.stringify(directive)}`);
    }
  }
  if (replaces) return { base: changes.map(cloneJson), changes: [] };
  return { base: original.filter((item) => !isAmong(deleted, item, mergeKey)), changes };
}
