import { parseQuantity } from '@orch/machinery';
import type { Container, Pod, ResourceFieldSelector } from '@orch/schema/types/core/v1';
import { containersOf, type PodContainer } from '../identity.js';

/** Amounts of resources as objects have them. */
export type ResourceList = Readonly<Record<string, string>>;

/** Resources whose limit is the node's where a container sets none. */
const LIMITED_BY_NODE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const EXPOSED = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/;

/**
 * Returns the value of a reference to a resource of a container, in units of its divisor, rounded up.
 * @param allocatable resources of the node, the limit of containers without one
 * @throws Error for a container or resource that there is not
 */
export function resourceValue(
  reference: ResourceFieldSelector,
  pod: Pod,
  own: PodContainer | undefined,
  allocatable: ResourceList,
): string {
  const { containerName = '', resource = '', divisor = '0' } = reference;
  const container = containerName === '' ? own : namedContainer(pod, containerName);
  if (!container) throw new Error(`container ${containerName} not found`);
  const [, list, name = ''] = EXPOSED.exec(resource) ?? [];
  if (!list) throw new Error(`unsupported container resource : ${resource}`);
  const amount = list === 'limits' ? limitOf(container, name, allocatable) : container.resources?.requests?.[name];
  return scaled(name, amount ?? '0', divisor);
}

function namedContainer(pod: Pod, name: string): Container | undefined {
  for (const [, container] of containersOf(pod)) if (container.name === name) return container;
  return undefined;
}

function limitOf({ resources }: Container, name: string, allocatable: ResourceList): string | undefined {
  const limit = resources?.limits?.[name];
  if (limit !== undefined && parseQuantity(limit).nanos !== 0n) return limit;
  return LIMITED_BY_NODE.has(name) ? (allocatable[name] ?? limit) : limit;
}

function scaled(name: string, amount: string, divisor: string): string {
  const unit = parseQuantity(divisor).nanos === 0n ? parseQuantity('1') : parseQuantity(divisor);
  const quantity = parseQuantity(amount);
  if (name === 'cpu') return String(quotient(quantity.milliValue(), unit.milliValue()));
  return String(quotient(quantity.value(), unit.value()));
}

const quotient = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;
