import {
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '@orch/machinery';
import type {
  AllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimParametersReference,
  ResourceClaimSpec,
  ResourceClaimStatus,
  ResourceClassParametersReference,
} from '@orch/schema/types/resource/v1alpha2';
import { validateDriverName } from '../core/csi-validation.js';
import { invalidEach } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { validateNodeSelector } from '../rules/node-selector.js';
import { tooLongList } from '../rules/sets.js';
import { equal } from '../values/equal.js';

const MODES = ['Immediate', 'WaitForFirstConsumer'];
const MAX_HANDLES = 32;
const MAX_HANDLE_BYTES = 16 * 1024;
const MAX_CONSUMERS = 32;
const RESERVED = 'status.reservedFor';
const REQUESTED = 'status.deallocationRequested';

/** Checks the spec of a claim; `path` is its place, also in a template. */
export function validateClaimSpec(spec: ResourceClaimSpec | undefined, path: string): FieldError[] {
  const name = spec?.resourceClassName ?? '';
  const mode = spec?.allocationMode ?? '';
  return [
    ...invalidEach(`${path}.resourceClassName`, name, dnsSubdomainErrors(name)),
    ...validateParameters(spec?.parametersRef, `${path}.parametersRef`),
    ...(MODES.includes(mode) ? [] : [notSupported(`${path}.allocationMode`, mode, MODES)]),
  ];
}

/** Checks the reference to the parameters of a claim or a class. */
export const validateParameters = (
  reference: ResourceClaimParametersReference | ResourceClassParametersReference | undefined,
  path: string,
): FieldError[] =>
  reference
    ? (['kind', 'name'] as const).flatMap((name) =>
        (reference[name] ?? '') === '' ? [required(`${path}.${name}`)] : [],
      )
    : [];

/** Checks what was allocated, and for whom. */
export function validateClaimStatus(object: ResourceClaim, old: ResourceClaim): FieldError[] {
  const { status } = object;
  const allocation = status?.allocation;
  const driver = status?.driverName ?? '';
  const missing = required('status.driverName', 'must be specified when `allocation` is set');
  return [
    ...(driver !== '' ? validateDriverName(driver, 'status.driverName') : allocation ? [missing] : []),
    ...validateAllocation(allocation),
    ...validateConsumers(status?.reservedFor ?? []),
    ...validateReservations(object, old),
    ...validateDeallocation(status, old.status),
  ];
}

function validateAllocation(allocation: AllocationResult | undefined): FieldError[] {
  if (!allocation) return [];
  const handles = allocation.resourceHandles ?? [];
  const field = 'status.allocation.resourceHandles';
  const nodes = allocation.availableOnNodes;
  return [
    ...each(handles, field, (handle, path) => [
      ...validateDriverName(handle.driverName ?? '', `${path}.driverName`),
      ...tooLongList(`${path}.data`, Buffer.byteLength(handle.data ?? ''), MAX_HANDLE_BYTES),
    ]),
    ...tooLongList(field, handles.length, MAX_HANDLES),
    ...(nodes ? validateNodeSelector(nodes, 'status.allocation.availableOnNodes') : []),
  ];
}

function validateConsumers(consumers: readonly ResourceClaimConsumerReference[]): FieldError[] {
  const seen = new Set<string>();
  const errors = each(consumers, RESERVED, (consumer, path) => {
    const uid = consumer.uid ?? '';
    if (seen.has(uid)) return [duplicate(`${path}.uid`, uid)];
    seen.add(uid);
    return (['resource', 'name', 'uid'] as const).flatMap((name) =>
      (consumer[name] ?? '') === '' ? [required(`${path}.${name}`)] : [],
    );
  });
  return [...errors, ...tooLongList(RESERVED, consumers.length, MAX_CONSUMERS)];
}

/** Only what is allocated is reserved, once where it cannot be shared, and not any more once it is to be given back. */
function validateReservations(object: ResourceClaim, old: ResourceClaim): FieldError[] {
  const { status } = object;
  const consumers = status?.reservedFor ?? [];
  const allocation = status?.allocation;
  if (consumers.length === 0) return [];
  if (!allocation) return [forbiddenField(RESERVED, 'may not be specified when `allocated` is not set')];
  const errors: FieldError[] = [];
  if (allocation.shareable !== true && consumers.length > 1) {
    errors.push(forbiddenField(RESERVED, 'may not be reserved more than once'));
  }
  const ends = object.metadata?.deletionTimestamp !== undefined || status?.deallocationRequested === true;
  const held = new Set((old.status?.reservedFor ?? []).map(identityOf));
  if (ends && consumers.some((consumer) => !held.has(identityOf(consumer)))) {
    const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
    errors.push(forbiddenField(RESERVED, text));
  }
  return errors;
}

const identityOf = (consumer: ResourceClaimConsumerReference): string =>
  JSON.stringify((['apiGroup', 'resource', 'name', 'uid'] as const).map((name) => consumer[name] ?? ''));

/** Refuses changes of an allocation until it is given back, and taking back the request for that. */
function validateDeallocation(
  status: ResourceClaimStatus | undefined,
  before: ResourceClaimStatus | undefined,
): FieldError[] {
  const [allocation, was] = [status?.allocation, before?.allocation];
  const [asked, wasAsked] = [status, before].map((each) => each?.deallocationRequested === true);
  const errors: FieldError[] = [];
  if (allocation && was && !equal(allocation, was)) {
    errors.push(invalidValue('status.allocation', allocation, 'field is immutable'));
  }
  if (asked && !wasAsked && (status?.reservedFor ?? []).length > 0) {
    errors.push(forbiddenField(REQUESTED, 'deallocation cannot be requested while `reservedFor` is set'));
  }
  if (asked && !allocation) {
    errors.push(forbiddenField('status', '`allocation` must be set when `deallocationRequested` is set'));
  }
  if (!asked && wasAsked && allocation) {
    errors.push(forbiddenField(REQUESTED, 'may not be cleared when `allocation` is set'));
  }
  return errors;
}
