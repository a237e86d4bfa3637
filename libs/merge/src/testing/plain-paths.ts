import type { JsonObject, JsonValue } from '@orch/machinery';
import { fieldValue, formOf, type ListType, type MapType, type Type } from '../apply/types/type.js';
import { equalJson, isObject } from '../json-values.js';

/**
 * Paths below values, found by looking at every member and item each time: what the walks have to find that keep what they made of
 * objects like it.
 */
export type Paths = ReadonlySet<string>;

/** What a comparison finds. */
export interface PlainChange {
  /** The value itself is another. */
  readonly self: boolean;
  readonly set: Paths;
  readonly removed: Paths;
}

const NONE: Paths = new Set();
const NOTHING: PlainChange = { self: false, set: NONE, removed: NONE };
const ITSELF: PlainChange = { self: true, set: NONE, removed: NONE };
const ANYTHING: Type = { scalar: 'untyped' };

/** A part of a value, and how it is told from the others. */
interface Part {
  readonly type: Type;
  readonly value: JsonValue;
}

const joined = (step: string, self: boolean, below: Paths): string[] => [
  ...(self ? [step] : []),
  ...[...below].map((path) => `${step}/${path}`),
];

function members({ fields, others, always }: MapType, object: JsonObject): Map<string, Part> {
  const found = new Map<string, Part>();
  for (const name of new Set([...Object.keys(object), ...always])) {
    const value = fieldValue(fields.get(name), Object.hasOwn(object, name) ? object[name] : undefined);
    const type = fields.get(name)?.type ?? others ?? ANYTHING;
    if (value !== undefined) found.set(`f:${name}`, { type, value });
  }
  return found;
}

/** Items by their keys or values, of equal ones the first; undefined when one cannot be told. */
function items(list: ListType, values: readonly JsonValue[]): Map<string, Part> | undefined {
  const found = new Map<string, Part>();
  for (const value of values) {
    const step = list.relation === 'map' ? stepByKeys(list, value) : stepByValue(value);
    if (step === undefined) return undefined;
    if (!found.has(step)) found.set(step, { type: list.items, value });
  }
  return found;
}

const stepByValue = (value: JsonValue): string | undefined =>
  typeof value === 'object' ? undefined : `v:${JSON.stringify(value)}`;

function stepByKeys({ keys, items }: ListType, item: JsonValue): string | undefined {
  if (!isObject(item)) return undefined;
  const found: JsonObject = {};
  for (const name of [...keys].sort()) {
    const field = items.map?.fields.get(name);
    found[name] = fieldValue(field, item[name]) ?? field?.default;
    if (found[name] === undefined) return undefined;
  }
  return `k:${JSON.stringify(found)}`;
}

/** Every path below a value. */
export function plainEverything(type: Type, value: JsonValue): Paths {
  const parts = partsOf(type, value);
  return new Set([...parts].flatMap(([step, part]) => joined(step, true, plainEverything(part.type, part.value))));
}

function partsOf({ map, list }: Type, value: JsonValue): ReadonlyMap<string, Part> {
  if (isObject(value)) return map && !map.atomic ? members(map, value) : new Map();
  if (!Array.isArray(value) || !list || list.relation === 'atomic') return new Map();
  return items(list, value) ?? new Map();
}

/** What the second value has otherwise than the first. */
export function plainChange(type: Type, before: JsonValue, after: JsonValue): PlainChange {
  if (equalJson(before, after)) return NOTHING;
  const forms = new Set([formOf(type, after), formOf(type, before)]);
  return [...forms].map((form) => changeAs(form, type, before, after)).reduce(both);
}

function changeAs(form: string, type: Type, before: JsonValue, after: JsonValue): PlainChange {
  const { map, list } = type;
  if (form === 'map' && map && !map.atomic) {
    if (isObject(before) && isObject(after)) return between(members(map, before), members(map, after));
    const [set, removed] = [after, before].map((value) => (isObject(value) ? plainEverything(type, value) : NONE));
    if (set && removed && set.size + removed.size > 0) return { self: false, set, removed };
  }
  if (form === 'list' && list && list.relation !== 'atomic') {
    const [from, to] = [before, after].map((value) => items(list, Array.isArray(value) ? value : []));
    if (from && to && from.size + to.size > 0) return between(from, to);
  }
  return ITSELF;
}

const both = (a: PlainChange, b: PlainChange): PlainChange => ({
  self: a.self || b.self,
  set: new Set([...a.set, ...b.set]),
  removed: new Set([...a.removed, ...b.removed]),
});

function between(before: ReadonlyMap<string, Part>, after: ReadonlyMap<string, Part>): PlainChange {
  const [set, removed] = [new Set<string>(), new Set<string>()];
  const add = (to: Set<string>, paths: readonly string[]) => {
    for (const path of paths) to.add(path);
  };
  for (const [step, { type, value }] of after) {
    const old = before.get(step);
    const change = old && plainChange(type, old.value, value);
    add(set, joined(step, !change || change.self, change ? change.set : plainEverything(type, value)));
    add(removed, joined(step, false, change?.removed ?? NONE));
  }
  for (const [step, { type, value }] of before) {
    if (!after.has(step)) add(removed, joined(step, true, plainEverything(type, value)));
  }
  return { self: false, set, removed };
}

/** What somebody owns who says this much of a value. @throws RangeError for items that cannot be told apart */
export function plainOwned(type: Type, value: JsonValue): { readonly self: boolean; readonly below: Paths } {
  const form = formOf(type, value);
  if (form === 'map' && type.map && !type.map.atomic) return { self: false, below: ownedMembers(type.map, value) };
  if (form === 'list' && type.list && type.list.relation !== 'atomic') {
    return { self: false, below: ownedItems(type.list, value) };
  }
  return { self: true, below: NONE };
}

function ownedMembers({ fields, others }: MapType, value: JsonValue): Paths {
  const paths = new Set<string>();
  for (const [name, member] of Object.entries(isObject(value) ? value : {})) {
    if (member === undefined) continue;
    const { self, below } = plainOwned(fields.get(name)?.type ?? others ?? ANYTHING, member);
    const isEmpty = member === null || (isObject(member) && Object.keys(member).length === 0);
    for (const path of joined(`f:${name}`, self || isEmpty || !fields.has(name), below)) paths.add(path);
  }
  return paths;
}

function ownedItems(list: ListType, value: JsonValue): Paths {
  if (!Array.isArray(value)) return NONE;
  const paths = new Set<string>();
  for (const item of value) {
    const [step] = items(list, [item])?.keys() ?? [];
    if (step === undefined) throw new RangeError('an item that cannot be told from others');
    for (const path of joined(step, true, plainOwned(list.items, item).below)) paths.add(path);
  }
  return paths;
}
