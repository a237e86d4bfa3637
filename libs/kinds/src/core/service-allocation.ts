import { type FieldError, familyOf, invalid, invalidValue, plainAddress, StatusError } from '@orch/machinery';
import type { Service, ServiceSpec } from '@orch/schema/types/core/v1';
import {
  type AddressAllocators,
  type Allocated,
  AllocationError,
  type AllocationOwner,
  type Allocator,
  type Allocators,
  alreadyAllocated,
  type Hold,
  together,
} from '../allocation/allocator.js';
import type { Allocation } from '../rules/kind-rules.js';
import { ensureObject } from '../values/fields.js';
import { shownStrings } from '../values/go-syntax.js';
import { addressesOf, familiesOf, HEADLESS, isHeadless, settleFamilies } from './service-families.js';
import { nodePortNeeds } from './service-node-ports.js';

const ADDRESSES = 'spec.clusterIPs';
const HEALTH_CHECK = 'spec.healthCheckNodePort';

/** Values of a Service, by whose range they are of. */
type Values = ReadonlyMap<Allocator, ReadonlySet<string>>;

/** A value that a Service needs. */
interface Ask {
  /** Its path. */
  readonly field: string;
  /** The text of the client; undefined for any value that is free. */
  readonly wanted: string | undefined;
  /** The Service has it already, or asks for it, for something else. */
  readonly own?: boolean;
}

/** Takes values that are needed together, and answers with one for each. */
type Take = (allocator: Allocator, asks: readonly Ask[]) => Promise<readonly string[]>;

/**
 * Allocates the addresses and ports that the type of a Service requires.
 * @throws StatusError Invalid if a requested value is not available
 */
export async function allocateService(
  object: Service,
  old: Service | undefined,
  allocators: Allocators,
): Promise<Allocation> {
  const owner = ownerOf(object);
  const held: Values = old ? valuesOf(old, allocators) : new Map();
  const taken: Hold[] = [];
  const take: Take = async (allocator, asks) => {
    const canonical = asks.map(({ wanted }) => (wanted === undefined ? undefined : plainAddress(wanted)));
    const isHeld = (value: string | undefined) => value !== undefined && held.get(allocator)?.has(value) === true;
    const missing = [...asks.keys()].filter((index) => asks[index]?.own || !isHeld(canonical[index]));
    const has = new Set([...(held.get(allocator) ?? []), ...(valuesOf(object, allocators).get(allocator) ?? [])]);
    const allocated = await refuseInvalid(
      object,
      missing.map((index) => asks[index] as Ask),
      async () => {
        const twice = missing.findIndex((index) => asks[index]?.own);
        if (twice >= 0) throw alreadyAllocated(allocator.range, twice);
        return allocator.allocate(
          owner,
          missing.map((index) => canonical[index]),
          has,
        );
      },
    );
    taken.push(...allocated);
    const given = new Map(missing.map((index, at) => [index, allocated[at]?.value]));
    return asks.map(({ wanted }, index) => wanted ?? (given.get(index) as string));
  };
  const undo = () => releaseAll(taken);
  try {
    const before = old?.spec;
    refuse(object, settleFamilies(ensureObject(object, 'spec'), before, allocators.clusterIPs));
    await takeAll(ensureObject(object, 'spec'), before, allocators, take);
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

async function takeAll(
  spec: ServiceSpec,
  before: ServiceSpec | undefined,
  allocators: Allocators,
  take: Take,
): Promise<void> {
  if (spec.type === 'ExternalName') return;
  await takeAddresses(spec, allocators.clusterIPs, take);
  const needs = nodePortNeeds(spec, before);
  const given = await take(allocators.nodePorts, needs);
  for (const [at, { give }] of needs.entries()) for (const one of give) one(Number(given[at]));
}

/** Takes an address of each family; families have been settled before. */
async function takeAddresses(spec: ServiceSpec, networks: AddressAllocators, take: Take): Promise<void> {
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
export const releaseService = async (object: Service, allocators: Allocators): Promise<void> =>
  releaseAll(await holdsOf(valuesOf(object, allocators), ownerOf(object)));

async function holdsOf(values: Values, owner: AllocationOwner): Promise<Hold[]> {
  const all = [...values].flatMap(([allocator, some]) => [...some].map((value) => ({ allocator, value })));
  const holds = await together(all, ({ allocator, value }) => allocator.held(value, owner));
  return holds.filter((hold) => hold !== undefined);
}

async function releaseAll(holds: readonly Hold[]): Promise<void> {
  await together(holds, (hold) => hold.release());
}

function valuesOf(object: Service, allocators: Allocators): Values {
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
export function heldValues(service: object): Readonly<Record<keyof Allocators, readonly string[]>> {
  const object: Service = service;
  const ports = (object.spec?.ports ?? []).map((port) => port.nodePort ?? 0);
  const all = [...ports, object.spec?.healthCheckNodePort ?? 0].filter((port) => port !== 0);
  return {
    clusterIPs: (object.spec?.clusterIPs ?? []).filter((address) => address !== HEADLESS).map(plainAddress),
    nodePorts: all.map(String),
  };
}

/** Identifies the object that takes values. */
export const ownerOf = ({ metadata }: { readonly metadata?: Partial<AllocationOwner> }): AllocationOwner => ({
  namespace: metadata?.namespace ?? '',
  name: metadata?.name ?? '',
  uid: metadata?.uid ?? '',
});

function refuse({ metadata }: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid('Service', '', metadata?.name ?? '', errors);
}

async function refuseInvalid(
  object: Service,
  asks: readonly Ask[],
  allocate: () => Promise<readonly Allocated[]>,
): Promise<readonly Allocated[]> {
  try {
    return await allocate();
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    const ask = asks[error.index];
    if (error.kind !== 'full' && ask?.wanted)
      throw invalid('Service', '', object.metadata?.name ?? '', [cause(object, ask, error)]);
    const what =
      ask?.field === ADDRESSES ? 'serviceIP' : ask?.field === HEALTH_CHECK ? 'HealthCheck NodePort' : 'nodePort';
    throw new StatusError('InternalError', `Internal error occurred: failed to allocate a ${what}: ${error.message}`);
  }
}

/** Returns the error for a requested value that is not available. */
function cause({ spec }: Service, { field, wanted = '' }: Ask, { message }: AllocationError): FieldError {
  if (field !== ADDRESSES) return invalidValue(field, Number(wanted), message);
  return invalidValue(field, shownStrings(spec?.clusterIPs ?? []), `failed to allocate IP ${wanted}: ${message}`);
}
