import {
  type ApiObject,
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '@orch/machinery';
import { validateDriverName } from '../core/csi-validation.js';
import { invalidEach } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { validateNodeSelector } from '../rules/node-selector.js';
import { tooLongList } from '../rules/sets.js';
import { equal } from '../values/equal.js';
import { at, isObject, type Json, objectsAt, textAt } from '../values/fields.js';

const MODES = ['Immediate', 'WaitForFirstConsumer'];
const MAX_HANDLES = 32;
const MAX_HANDLE_BYTES = 16 * 1024;
const MAX_CONSUMERS = 32;
const RESERVED = 'status.reservedFor';
const REQUESTED = 'status.deallocationRequested';

/** What is claimed; `path` is that of the spec, also in a template. */
export function validateClaimSpec(spec: unknown, path: string): FieldError[] {
  const name = textAt(spec, 'resourceClassName');
  const mode = textAt(spec, 'allocationMode');
  return [
    ...invalidEach(`${path}.resourceClassName`, name, dnsSubdomainErrors(name)),
    ...validateParameters(at(spec, 'parametersRef'), `${path}.parametersRef`),
    ...(MODES.includes(mode) ? [] : [notSupported(`${path}.allocationMode`, mode, MODES)]),
  ];
}

/** Where parameters of a claim or a class are. */
export const validateParameters = (reference: unknown, path: string): FieldError[] =>
  isObject(reference)
    ? ['kind', 'name'].flatMap((name) => (textAt(reference, name) === '' ? [required(`${path}.${name}`)] : []))
    : [];

/** What was allocated, and for whom. */
export function validateClaimStatus(object: ApiObject, old: ApiObject): FieldError[] {
  const { status } = object;
  const allocation = at(status, 'allocation');
  const driver = textAt(status, 'driverName');
  const missing = required('status.driverName', 'must be specified when `allocation` is set');
  return [
    ...(driver !== '' ? validateDriverName(driver, 'status.driverName') : isObject(allocation) ? [missing] : []),
    ...validateAllocation(allocation),
    ...validateConsumers(objectsAt(status, 'reservedFor')),
    ...validateReservations(object, old),
    ...validateDeallocation(status, old.status),
  ];
}

function validateAllocation(allocation: unknown): FieldError[] {
  if (!isObject(allocation)) return [];
  const handles = objectsAt(allocation, 'resourceHandles');
  const field = 'status.allocation.resourceHandles';
  const nodes = allocation.availableOnNodes;
  return [
    ...each(handles, field, (handle, path) => [
      ...validateDriverName(textAt(handle, 'driverName'), `${path}.driverName`),
      ...tooLongList(`${path}.data`, Buffer.byteLength(textAt(handle, 'data')), MAX_HANDLE_BYTES),
    ]),
    ...tooLongList(field, handles.length, MAX_HANDLES),
    ...(isObject(nodes) ? validateNodeSelector(nodes, 'status.allocation.availableOnNodes') : []),
  ];
}

function validateConsumers(consumers: readonly Json[]): FieldError[] {
  const seen = new Set<string>();
  const errors = each(consumers, RESERVED, (consumer, path) => {
    const uid = textAt(consumer, 'uid');
    if (seen.has(uid)) return [duplicate(`${path}.uid`, uid)];
    seen.add(uid);
    return ['resource', 'name', 'uid'].flatMap((name) =>
      textAt(consumer, name) === '' ? [required(`${path}.${name}`)] : [],
    );
  });
  return [...errors, ...tooLongList(RESERVED, consumers.length, MAX_CONSUMERS)];
}

/** Only what is allocated is reserved, once where it cannot be shared, and not any more once it is to be given back. */
function validateReservations(object: ApiObject, old: ApiObject): FieldError[] {
  const { status } = object;
  const consumers = objectsAt(status, 'reservedFor');
  const allocation = at(status, 'allocation');
  if (consumers.length === 0) return [];
  if (!isObject(allocation)) return [forbiddenField(RESERVED, 'may not be specified when `allocated` is not set')];
  const errors: FieldError[] = [];
  if (allocation.shareable !== true && consumers.length > 1) {
    errors.push(forbiddenField(RESERVED, 'may not be reserved more than once'));
  }
  const ends = object.metadata?.deletionTimestamp !== undefined || at(status, 'deallocationRequested') === true;
  const held = new Set(objectsAt(old, 'status', 'reservedFor').map(identityOf));
  if (ends && consumers.some((consumer) => !held.has(identityOf(consumer)))) {
    const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
    errors.push(forbiddenField(RESERVED, text));
  }
  return errors;
}

const identityOf = (consumer: Json): string =>
  JSON.stringify(['apiGroup', 'resource', 'name', 'uid'].map((name) => textAt(consumer, name)));

/** What is allocated stays as it is until it is given back, and giving back is asked for once. */
function validateDeallocation(status: unknown, before: unknown): FieldError[] {
  const [allocation, was] = [at(status, 'allocation'), at(before, 'allocation')];
  const [asked, wasAsked] = [status, before].map((each) => at(each, 'deallocationRequested') === true);
  const errors: FieldError[] = [];
  if (isObject(allocation) && isObject(was) && !equal(allocation, was)) {
    errors.push(invalidValue('status.allocation', allocation, 'field is immutable'));
  }
  if (asked && !wasAsked && objectsAt(status, 'reservedFor').length > 0) {
    errors.push(forbiddenField(REQUESTED, 'deallocation cannot be requested while `reservedFor` is set'));
  }
  if (asked && !isObject(allocation)) {
    errors.push(forbiddenField('status', '`allocation` must be set when `deallocationRequested` is set'));
  }
  if (!asked && wasAsked && isObject(allocation)) {
    errors.push(forbiddenField(REQUESTED, 'may not be cleared when `allocation` is set'));
  }
  return errors;
}
