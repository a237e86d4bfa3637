import { type ApiObject, type FieldError, invalid, invalidValue, StatusError } from '@orch/machinery';
import {
  type AddressAllocators,
  type Allocated,
  AllocationError,
  type Allocator,
  type Allocators,
  type Hold,
  type Owner,
  type Range,
  together,
} from '../allocation/allocator.js';
import type { Allocation } from '../rules/kind-rules.js';
import { countAt, ensureObject, type Json, objectsAt, stringsAt } from '../values/fields.js';
import { shownList } from '../values/go-values.js';
import { canonicalAddress, familyOf } from '../values/ip-address.js';
import { addressesOf, familiesOf, HEADLESS, isHeadless, settleFamilies } from './service-families.js';
import { nodePortNeeds } from './service-node-ports.js';

const ADDRESSES = 'spec.clusterIPs';

/** Values of a Service, by whose range they are of. */
type Values = ReadonlyMap<Allocator, ReadonlySet<string>>;

/** A value that a Service needs. */
interface Ask {
  /** Where it stands. */
  readonly field: string;
  /** As the client wrote it; undefined for any that is free. */
  readonly wanted: string | undefined;
}

/** Takes values that are needed together, and answers with one for each. */
type Take = (allocator: Allocator, asks: readonly Ask[]) => Promise<readonly string[]>;

/**
 * Takes the address and the ports that the Service's type calls for.
 * @throws StatusError Invalid when a wanted value cannot be had
 */
export async function allocateService(
  object: ApiObject,
  old: ApiObject | undefined,
  allocators: Allocators,
): Promise<Allocation> {
  const owner = ownerOf(object);
  const held: Values = old ? valuesOf(old, allocators) : new Map();
  const taken: Hold[] = [];
  const take: Take = async (allocator, asks) => {
    const canonical = asks.map(({ wanted }) => (wanted === undefined ? undefined : canonicalAddress(wanted)));
    const isHeld = (value: string | undefined) => value !== undefined && held.get(allocator)?.has(value) === true;
    const missing = [...asks.keys()].filter((index) => !isHeld(canonical[index]));
    const has = valuesOf(object, allocators).get(allocator) ?? new Set();
    const allocated = await refuseInvalid(
      object,
      missing.map((index) => asks[index] as Ask),
      allocator.range,
      () =>
        allocator.allocate(
          owner,
          missing.map((index) => canonical[index]),
          has,
        ),
    );
    taken.push(...allocated);
    const given = new Map(missing.map((index, at) => [index, allocated[at]?.value]));
    return asks.map(({ wanted }, index) => wanted ?? (given.get(index) as string));
  };
  const undo = () => releaseAll(taken);
  try {
    refuse(object, settleFamilies(ensureObject(object, 'spec'), old?.spec, allocators.clusterIPs));
    await takeAll(ensureObject(object, 'spec'), allocators, take);
    // As they are held before the write: once it is known, another server may take them again for the same Service.
    const dropped = without(held, valuesOf(object, allocators));
    const givenUp = await holdsOf(dropped, owner);
    return { changes: taken.length + dropped.size > 0, undo, settle: () => releaseAll(givenUp) };
  } catch (error) {
    await undo();
    throw error;
  }
}

function without(values: Values, others: Values): Values {
  const rest = new Map<Allocator, ReadonlySet<string>>();
  for (const [allocator, all] of values) {
    const dropped = [...all].filter((value) => !others.get(allocator)?.has(value));
    if (dropped.length > 0) rest.set(allocator, new Set(dropped));
  }
  return rest;
}

async function takeAll(spec: Json, allocators: Allocators, take: Take): Promise<void> {
  if (spec.type === 'ExternalName') return;
  await takeAddresses(spec, allocators.clusterIPs, take);
  const needs = nodePortNeeds(spec);
  const given = await take(allocators.nodePorts, needs);
  for (const [at, { give }] of needs.entries()) for (const one of give) one(Number(given[at]));
}

/** One address of each family; families have been settled before. */
async function takeAddresses(spec: Json, networks: AddressAllocators, take: Take): Promise<void> {
  if (isHeadless(spec)) {
    spec.clusterIP = HEADLESS;
    spec.clusterIPs = [HEADLESS];
    return;
  }
  const wanted = addressesOf(spec);
  const addresses: string[] = [];
  for (const [index, family] of familiesOf(spec).entries()) {
    const allocator = networks.of(family);
    if (allocator) addresses.push(...(await take(allocator, [{ field: ADDRESSES, wanted: wanted[index] }])));
  }
  spec.clusterIP = addresses[0];
  spec.clusterIPs = addresses;
}

/** Gives back everything that a Service holds. */
export const releaseService = async (object: ApiObject, allocators: Allocators): Promise<void> =>
  releaseAll(await holdsOf(valuesOf(object, allocators), ownerOf(object)));

async function holdsOf(values: Values, owner: Owner): Promise<Hold[]> {
  const all = [...values].flatMap(([allocator, some]) => [...some].map((value) => ({ allocator, value })));
  const holds = await together(all, ({ allocator, value }) => allocator.held(value, owner));
  return holds.filter((hold) => hold !== undefined);
}

async function releaseAll(holds: readonly Hold[]): Promise<void> {
  await together(holds, (hold) => hold.release());
}

function valuesOf(object: ApiObject, allocators: Allocators): Values {
  const { clusterIPs, nodePorts } = heldValues(object);
  const values = new Map([[allocators.nodePorts, new Set(nodePorts)]]);
  for (const value of clusterIPs) {
    const family = familyOf(value);
    const allocator = family && allocators.clusterIPs.of(family);
    if (allocator) values.set(allocator, (values.get(allocator) ?? new Set()).add(value));
  }
  return values;
}

/** The values that a Service holds, of each range. */
export function heldValues(object: ApiObject): Readonly<Record<keyof Allocators, readonly string[]>> {
  const ports = objectsAt(object, 'spec', 'ports').map((port) => countAt(port, 'nodePort'));
  const all = [...ports, countAt(object, 'spec', 'healthCheckNodePort')].filter((port) => port !== 0);
  return {
    clusterIPs: stringsAt(object, 'spec', 'clusterIPs')
      .filter((address) => address !== HEADLESS)
      .map(canonicalAddress),
    nodePorts: all.map(String),
  };
}

/** Whose the values are that an object takes. */
export const ownerOf = ({ metadata }: ApiObject): Owner => ({
  namespace: metadata?.namespace ?? '',
  name: metadata?.name ?? '',
  uid: metadata?.uid ?? '',
});

function refuse({ metadata }: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid('Service', '', metadata?.name ?? '', errors);
}

async function refuseInvalid(
  object: ApiObject,
  asks: readonly Ask[],
  range: Range,
  allocate: () => Promise<readonly Allocated[]>,
): Promise<readonly Allocated[]> {
  try {
    return await allocate();
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    const { field = '', wanted = '' } = asks[error.index] ?? {};
    if (error.kind === 'full') throw new StatusError('InternalError', `failed to allocate ${field}: ${error.message}`);
    const why = field === ADDRESSES ? addressRefusal(object, wanted) : portRefusal(field, wanted);
    throw invalid('Service', '', object.metadata?.name ?? '', [why(error.kind === 'taken', range)]);
  }
}

type Refusal = (taken: boolean, range: Range) => FieldError;

const portRefusal =
  (field: string, wanted: string): Refusal =>
  (taken, { shown }) => {
    const outside = `provided port is not in the valid range. The range of valid ports is ${shown}`;
    return invalidValue(field, Number(wanted), taken ? 'provided port is already allocated' : outside);
  };

const addressRefusal =
  ({ spec }: ApiObject, wanted: string): Refusal =>
  (taken, { shown }) => {
    const outside = `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${shown}`;
    const why = taken ? 'provided IP is already allocated' : outside;
    const all = shownList('string', addressesOf(spec as Json));
    return invalidValue(ADDRESSES, all, `failed to allocate IP ${wanted}: ${why}`);
  };
