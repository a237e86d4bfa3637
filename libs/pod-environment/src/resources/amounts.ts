import { parseQuantity } from '@orch/machinery';
import type { Pod, ResourceRequirements } from '@orch/schema/types/core/v1';

/** Amounts by resource: thousandths of CPUs, else whole units (bytes, pieces). */
export type ResourceAmounts = ReadonlyMap<string, bigint>;

/** Returns an amount in the unit of its resource. */
function amountIn(resource: string, text: string): bigint {
  const quantity = parseQuantity(text);
  return resource === 'cpu' ? quantity.milliValue() : quantity.value();
}

/** Returns the amounts of a list as objects have it. */
export function amountsOf(list: Readonly<Record<string, string>> = {}): Map<string, bigint> {
  return new Map(Object.entries(list).map(([name, text]) => [name, amountIn(name, text)]));
}

/**
 * Returns what a pod requests: the sum of its containers, or what an init container requests where that is more, and
 * the overhead of its runtime class.
 * @param each called with the list of each container
 */
export function podAmounts(
  pod: Pod,
  list: 'requests' | 'limits',
  each: (amounts: ResourceAmounts) => void = () => undefined,
): Map<string, bigint> {
  const { containers = [], initContainers = [], overhead } = pod.spec ?? {};
  const sum = new Map<string, bigint>();
  const read = (resources: ResourceRequirements = {}) => {
    const amounts = amountsOf(resources[list]);
    each(amounts);
    return amounts;
  };
  for (const { resources } of containers) add(sum, read(resources));
  for (const { resources } of initContainers)
    for (const [name, amount] of read(resources)) if (amount > (sum.get(name) ?? -1n)) sum.set(name, amount);
  // Overhead makes no limit where there is none.
  const more = amountsOf(overhead);
  add(sum, list === 'requests' ? more : new Map([...more].filter(([name]) => sum.has(name))));
  return sum;
}

/** Adds amounts to a sum. */
export function add(sum: Map<string, bigint>, amounts: ResourceAmounts): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0n) + amount);
}
