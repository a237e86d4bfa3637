import { type ApiObject, type FieldError, invalid, invalidValue, StatusError } from '@orch/machinery';
import {
  type AddressAllocators,
  type Allocated,
  AllocationError,
  type Allocator,
  type Allocators,
  type Hold,
  type Owner,
} from '../allocation/allocator.js';
import type { Allocation } from '../rules/kind-rules.js';
import { countAt, ensureObject, type Json, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { canonicalAddress, familyOf } from '../values/ip-address.js';
import { addressesOf, familiesOf, HEADLESS, isHeadless, settleFamilies } from './service-families.js';

/** A value of a Service, and whose range it is of. */
interface Value {
  readonly allocator: Allocator;
  readonly value: string;
}

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
  const held = old ? valuesOf(old, allocators) : [];
  const own = [...held];
  const taken: Hold[] = [];
  const take = async (allocator: Allocator, field: string, wanted?: string): Promise<string> => {
    const value = wanted === undefined ? undefined : canonicalAddress(wanted);
    // Nor is a value taken twice, as for two protocols of a port: a hold frees nothing that was taken again behind it.
    if (wanted !== undefined && own.some((one) => one.allocator === allocator && one.value === value)) return wanted;
    const has = new Set(valuesOf(object, allocators).map(({ value }) => value));
    const allocated = await refuseInvalid(object, field, wanted, () => allocator.allocate(owner, value, has));
    taken.push(allocated);
    own.push({ allocator, value: allocated.value });
    return wanted ?? allocated.value;
  };
  const undo = () => releaseAll(taken);
  try {
    refuse(object, settleFamilies(ensureObject(object, 'spec'), old?.spec, allocators.clusterIPs));
    await takeAll(ensureObject(object, 'spec'), allocators, take);
    const dropped = without(held, valuesOf(object, allocators));
    // As they are held before the write: once it is known, another server may take them again for the same Service.
    const givenUp = await holdsOf(dropped, owner);
    return { changes: taken.length + dropped.length > 0, undo, settle: () => releaseAll(givenUp) };
  } catch (error) {
    await undo();
    throw error;
  }
}

const without = (values: readonly Value[], others: readonly Value[]): Value[] =>
  values.filter((one) => !others.some(({ allocator, value }) => allocator === one.allocator && value === one.value));

type Take = (allocator: Allocator, field: string, wanted?: string) => Promise<string>;

async function takeAll(spec: Json, allocators: Allocators, take: Take): Promise<void> {
  const type = textAt(spec, 'type');
  if (type === 'ExternalName') return;
  await takeAddresses(spec, allocators.clusterIPs, take);
  const balanced = type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
  const opens = type === 'NodePort' || balanced;
  const ports = objectsAt(spec, 'ports');
  for (const [index, port] of ports.entries()) {
    const asked = countAt(port, 'nodePort');
    if (!opens && !(asked && type === 'LoadBalancer')) continue;
    const wanted = asked || sharedNodePort(ports, port);
    port.nodePort = Number(
      await take(allocators.nodePorts, `spec.ports[${index}].nodePort`, wanted ? String(wanted) : undefined),
    );
  }
  if (type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local') {
    const wanted = countAt(spec, 'healthCheckNodePort');
    spec.healthCheckNodePort = Number(
      await take(allocators.nodePorts, 'spec.healthCheckNodePort', wanted ? String(wanted) : undefined),
    );
  }
}

/** A port that is open by two protocols has one node port for both; 0 where no other has one yet. */
const sharedNodePort = (ports: readonly Json[], port: Json): number =>
  countAt(
    ports.find((other) => other.port === port.port && countAt(other, 'nodePort') !== 0),
    'nodePort',
  );

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
    if (allocator) addresses.push(await take(allocator, 'spec.clusterIPs', wanted[index]));
  }
  spec.clusterIP = addresses[0];
  spec.clusterIPs = addresses;
}

/** Gives back everything that a Service holds. */
export const releaseService = async (object: ApiObject, allocators: Allocators): Promise<void> =>
  releaseAll(await holdsOf(valuesOf(object, allocators), ownerOf(object)));

async function holdsOf(values: readonly Value[], owner: Owner): Promise<Hold[]> {
  const holds = await Promise.all(values.map(({ allocator, value }) => allocator.held(value, owner)));
  return holds.filter((hold) => hold !== undefined);
}

async function releaseAll(holds: readonly Hold[]): Promise<void> {
  for (const hold of holds) await hold.release();
}

function valuesOf(object: ApiObject, allocators: Allocators): Value[] {
  const { clusterIPs, nodePorts } = heldValues(object);
  return [
    ...clusterIPs.flatMap((value) => {
      const family = familyOf(value);
      const allocator = family && allocators.clusterIPs.of(family);
      return allocator ? [{ allocator, value }] : [];
    }),
    ...nodePorts.map((value) => ({ allocator: allocators.nodePorts, value })),
  ];
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
  field: string,
  wanted: string | undefined,
  allocate: () => Promise<Allocated>,
): Promise<Allocated> {
  try {
    return await allocate();
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    if (error.kind === 'full') throw new StatusError('InternalError', `failed to allocate ${field}: ${error.message}`);
    const cause = invalidValue(field, wanted, `failed to allocate ${wanted}: ${error.message}`);
    throw invalid('Service', '', object.metadata?.name ?? '', [cause]);
  }
}
