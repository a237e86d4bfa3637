import { parseQuantity, Quantity } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';
import type { PodUsage } from '../usage/usage.js';
import { amountOf, type Observations, SIGNALS, type StarvedResource, type Threshold } from './thresholds.js';

const NANO = 1_000_000_000n;

/** Writes bytes or pieces as objects have them. */
const quantityText = (amount: number): string => new Quantity(BigInt(Math.floor(amount)) * NANO, 'binarySI').toString();

/** Returns the message of a pod that is evicted for a resource of the node. */
export function evictionMessage(
  resource: StarvedResource,
  { pod, usage }: { readonly pod: Pod; readonly usage?: PodUsage },
  thresholds: readonly Threshold[],
  observations: Observations,
): string {
  const parts = [`The node was low on resource: ${resource}. `];
  const met = thresholds.find(({ signal }) => SIGNALS[signal].resource === resource && observations.has(signal));
  const observed = met && observations.get(met.signal);
  if (met && observed) {
    const { amount } = met;
    const quantity = amount.kind === 'quantity' ? parseQuantity(amount.text).toString() : undefined;
    const threshold = quantity ?? quantityText(amountOf(amount, observed.capacity));
    parts.push(`Threshold quantity: ${threshold}, available: ${quantityText(observed.available)}. `);
  }
  return [...parts, ...containerParts(resource, pod, usage)].join('');
}

function containerParts(resource: StarvedResource, pod: Pod, usage: PodUsage | undefined): string[] {
  const parts: string[] = [];
  for (const { name, statistics, logs } of usage?.containers ?? []) {
    const container = pod.spec?.containers?.find((declared) => declared.name === name);
    if (!container) continue;
    const request = parseQuantity(container.resources?.requests?.[resource] ?? '0');
    const { memory, writableLayer } = statistics;
    const used: Partial<Record<StarvedResource, number | undefined>> = {
      memory: memory?.workingSetBytes,
      'ephemeral-storage': writableLayer && writableLayer.usedBytes + logs.bytes,
    };
    const amount = used[resource];
    if (amount === undefined || amount <= Number(request.value())) continue;
    parts.push(
      `Container ${name} was using ${quantityText(amount)}, request is ${request}, has larger consumption of ${resource}. `,
    );
  }
  return parts;
}
