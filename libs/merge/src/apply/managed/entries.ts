import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { compareText } from '../paths/order.js';
import { FieldsV1Error } from '../paths/written-level.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { keepInSteps } from '../stored/kept-fields.js';
import { areFew, Pace, weightOf } from '../values/few.js';
import type { Work } from './conversion.js';
import { ManagedFieldsError } from './errors.js';
import { identifier, type ManagerIdentifier, Owner } from './owner.js';

/** Owners of an object's fields, by {@link identifier}. */
export type Owners = ReadonlyMap<string, Owner>;

/** No owners. */
export const NO_OWNERS: Owners = new Map();

/**
 * Reads entries that the server itself has written; their `fieldsV1` is decoded on demand.
 * @throws ManagedFieldsError for invalid entries
 */
export function readStored(entries: JsonValue | undefined): Owners {
  if (entries === undefined || entries === null) return NO_OWNERS;
  if (!Array.isArray(entries)) throw new ManagedFieldsError('managedFields must be a list');
  const owners = new Map<string, Owner>();
  for (const [index, entry] of entries.entries()) {
    const owner = readEntry(entry, index);
    owners.set(identifier(owner.identity), owner);
  }
  return owners;
}

/**
 * Reads entries from a client. Those that are not literally equal to `stored` ones are read completely.
 * @throws ManagedFieldsError for what is no entry, or holds no set of fields
 */
export function* readSent(entries: JsonValue | undefined, stored: JsonValue | undefined): Work<Owners> {
  if (!Array.isArray(entries) || entries.length === 0) return NO_OWNERS;
  const known = Array.isArray(stored) ? stored : [];
  const same: JsonValue[] = [];
  for (const [i, entry] of entries.entries()) {
    const isSame = areFew(entry, known[i]) ? sameText(entry, known[i]) : yield* walked(sameInSteps(entry, known[i]));
    same.push(isSame ? (known[i] ?? null) : entry);
  }
  const owners = readStored(same);
  return yield* checked(owners, new Set(known));
}

/** Whether two values would be encoded to the same text. Values in another order are read, and found equal later. */
function sameText(a: JsonValue, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  if (names.length !== others.length) return false;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    if (name !== others[i] || !sameText(a[name] ?? null, b[name] ?? null)) return false;
  }
  return true;
}

/** Same as {@link sameText}, in steps. */
function* sameInSteps(a: JsonValue, b: JsonValue | undefined): Walk<boolean> {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (areFew(a, b)) return sameText(a, b);
  yield STEP;
  const names = Object.keys(a);
  yield STEP;
  const others = Object.keys(b);
  yield STEP;
  if (names.length !== others.length) return false;
  const pace = new Pace();
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    if (name !== others[i]) return false;
    const [from, to] = [a[name] ?? null, b[name] ?? null];
    const weight = weightOf(from, to);
    if (!(weight > PIECE ? yield* descend(sameInSteps(from, to)) : sameText(from, to))) return false;
    if (pace.isOver(weight)) yield STEP;
  }
  return true;
}

/** @throws ManagedFieldsError when an owner with an unknown entry holds no set of fields */
function* checked(owners: Owners, known: ReadonlySet<JsonValue>): Work<Owners> {
  const read = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    read.set(id, known.has(owner.entry()) ? owner : yield* whole(owner));
    yield STEP;
  }
  return read;
}

/** Returns an owner with its entry read completely. @throws ManagedFieldsError when it holds no set of fields */
export function* whole(owner: Owner): Work<Owner> {
  try {
    return yield* owner.reread();
  } catch (error) {
    if (error instanceof FieldsV1Error) throw new ManagedFieldsError(`error decoding set: ${error.message}`);
    throw error;
  }
}

function readEntry(entry: JsonValue, index: number): Owner {
  if (!isObject(entry)) throw new ManagedFieldsError(`managed fields entry ${index} must be an object`);
  const operation = entry.operation;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  }
  const apiVersion = textOf(entry, 'apiVersion');
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  const fieldsType = textOf(entry, 'fieldsType');
  if (fieldsType === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  const identity: ManagerIdentifier = {
    manager: textOf(entry, 'manager'),
    operation,
    apiVersion,
    subresource: textOf(entry, 'subresource'),
  };
  const time = textOf(entry, 'time');
  return Owner.read(identity, time === '' ? undefined : time, entry);
}

function textOf(entry: JsonObject, name: string): string {
  const value = entry[name];
  return typeof value === 'string' ? value : '';
}

/** Returns the entries to write to an object; undefined when there are no owners. */
export function writeOwners(owners: Owners): JsonObject[] | undefined {
  if (owners.size === 0) return undefined;
  return [...owners.values()].sort(compareOwners).map((owner) => owner.entry());
}

/** Same as {@link writeOwners}; new entries are made a step at a time, along with their stored form. */
export function* writeInSteps(owners: Owners): Steps<JsonObject[] | undefined> {
  for (const owner of owners.values()) {
    if (owner.written !== undefined) continue;
    yield* owner.fields.write(false);
    const { fieldsV1 } = owner.entry();
    yield STEP;
    if (isObject(fieldsV1)) yield* keepInSteps(fieldsV1);
    yield STEP;
  }
  return writeOwners(owners);
}

/** Appliers before updaters, older before younger, then by manager, version and subresource. */
function compareOwners(a: Owner, b: Owner): number {
  const [x, y] = [a.identity, b.identity];
  return (
    compareText(x.operation, y.operation) ||
    a.seconds - b.seconds ||
    compareText(x.manager, y.manager) ||
    compareText(x.apiVersion, y.apiVersion) ||
    compareText(x.subresource, y.subresource)
  );
}

/** Whether the entries of a request reset all ownership: a single empty entry. */
export function isReset(entries: JsonValue | undefined): boolean {
  if (!Array.isArray(entries) || entries.length !== 1) return false;
  const [entry] = entries;
  return (
    isObject(entry) && Object.values(entry).every((value) => value === undefined || value === null || value === '')
  );
}
