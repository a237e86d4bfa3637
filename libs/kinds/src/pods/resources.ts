import type { Container, PodSpec } from '@orch/schema/types/core/v1';
import { ensureObject } from '../values/fields.js';

/** Resources that decide the quality of service. */
const COMPUTE = ['cpu', 'memory'] as const;

const allContainers = (spec: PodSpec | undefined): Container[] => [
  ...(spec?.initContainers ?? []),
  ...(spec?.containers ?? []),
];

/** A limit without a request is also the request. Mutates. */
export function requestsFromLimits(spec: PodSpec): void {
  for (const container of allContainers(spec)) {
    const { resources } = container;
    const limits = resources?.limits ?? {};
    if (!resources || Object.keys(limits).length === 0) continue;
    const requests = ensureObject(resources, 'requests');
    for (const [name, limit] of Object.entries(limits)) if (!Object.hasOwn(requests, name)) requests[name] = limit;
  }
}

const isSet = (quantity: string | undefined): quantity is string => quantity !== undefined && quantity !== '0';

/**
 * Quality of service of a pod: `Guaranteed` when every container limits cpu and memory and requests just that,
 * `BestEffort` when none asks for anything, else `Burstable`. Quantities must be in canonical form.
 */
export function qosClass(spec: PodSpec | undefined): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = allContainers(spec).map((container) => ({
    requests: container.resources?.requests ?? {},
    limits: container.resources?.limits ?? {},
  }));
  const asks = containers.some(({ requests, limits }) =>
    COMPUTE.some((name) => isSet(requests[name]) || isSet(limits[name])),
  );
  if (!asks) return 'BestEffort';
  const guaranteed = containers.every(({ requests, limits }) =>
    COMPUTE.every((name) => isSet(limits[name]) && (requests[name] ?? limits[name]) === limits[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
