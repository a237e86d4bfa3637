import type { Container, PodSpec } from '@orch/schema/types/core/v1';
import { ResourceAmounts } from './amounts.js';

/** Requests of a pod. */
export interface PodRequests {
  /** Requests as they are counted on nodes. */
  readonly counted: ResourceAmounts;
  /** Requests as they are scored: a container that asks for no CPU or memory counts with a default. */
  readonly scored: ResourceAmounts;
}

/** CPU of a container that asks for none, for scores alone: millicores. */
const DEFAULT_CPU = 100;
/** Memory of a container that asks for none, for scores alone: bytes. */
const DEFAULT_MEMORY = 200 * 1024 * 1024;

/**
 * Returns what a pod asks for: the sum of its containers, at least what each init container asks for, and its overhead.
 * @throws QuantityError
 */
export function podRequests({ containers = [], initContainers = [], overhead }: PodSpec): PodRequests {
  const counted = new ResourceAmounts();
  const scored = new ResourceAmounts();
  for (const container of containers) {
    const requests = requestsOf(container);
    counted.add(requests.counted);
    scored.add(requests.scored);
  }
  for (const container of initContainers) {
    const requests = requestsOf(container);
    counted.raiseTo(requests.counted);
    scored.raiseTo(requests.scored);
  }
  if (overhead) {
    const more = ResourceAmounts.of(overhead);
    counted.add(more);
    scored.add(more);
  }
  return { counted, scored };
}

function requestsOf({ resources }: Container): PodRequests {
  const requests = resources?.requests;
  const counted = ResourceAmounts.of(requests);
  const scored = counted.copy();
  if (requests?.cpu === undefined) scored.cpu = DEFAULT_CPU;
  if (requests?.memory === undefined) scored.memory = DEFAULT_MEMORY;
  return { counted, scored };
}
