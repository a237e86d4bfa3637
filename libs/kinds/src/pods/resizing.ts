import { copy } from '@orch/machinery';
import type { Features } from '@orch/schema';
import { equal } from '../values/equal.js';
import { at, isEmpty, isObject, type Json, objectAt, objectsAt } from '../values/fields.js';

/** Resources of a running pod that may change. */
const COMPUTE = ['cpu', 'memory'] as const;

/** A container is told of a change without a restart, unless it says otherwise. Mutates. */
export function defaultResizePolicies(spec: Json): void {
  for (const container of objectsAt(spec, 'containers')) {
    const requests = at(container, 'resources', 'requests');
    if (!isObject(requests)) continue;
    const policies = objectsAt(container, 'resizePolicy');
    const named = new Set(policies.map((policy) => policy.resourceName));
    for (const resourceName of COMPUTE) {
      if (!Object.hasOwn(requests, resourceName) || named.has(resourceName)) continue;
      policies.push({ resourceName, restartPolicy: 'NotRequired' });
    }
    if (policies.length > 0) container.resizePolicy = policies;
  }
}

/** The spec of a stored pod as it would be stored now: it may be older than the feature. */
export function withPolicies(spec: unknown, features: Features): unknown {
  if (!isObject(spec) || !features.enabled('InPlacePodVerticalScaling')) return spec;
  const whole = copy(spec);
  defaultResizePolicies(whole);
  return whole;
}

/** Says of a pod whose containers ask for other resources than they have been given that this is considered. Mutates. */
export function proposeResize(pod: Json, old: unknown): void {
  const before = objectsAt(old, 'spec', 'containers');
  const given = new Map(
    objectsAt(pod, 'status', 'containerStatuses').map((each) => [each.name, each.allocatedResources]),
  );
  const proposed = objectsAt(pod, 'spec', 'containers').some(({ name, resources }, index) => {
    const requests = at(resources, 'requests');
    if (!isObject(requests) || equal(resources, before[index]?.resources) || !given.has(name)) return false;
    return !equal(requests, given.get(name));
  });
  if (proposed && isObject(pod.status)) pod.status.resize = 'Proposed';
}

/** Containers with the CPU and memory of others, as these may change. */
export const withComputeOf = (containers: readonly Json[], olds: readonly Json[]): Json[] =>
  containers.map((container, index) => {
    const before = olds[index]?.resources;
    const { limits: _limits, requests: _requests, ...rest } = objectAt(container, 'resources');
    const limits = amountsOf(container, before, 'limits');
    const requests = amountsOf(container, before, 'requests');
    const resources = { ...rest, ...(limits && { limits }), ...(requests && { requests }) };
    return { ...container, resources: isEmpty(resources) && isEmpty(before) ? before : resources };
  });

/** What did not limit or ask for anything is not held to it. */
function amountsOf(container: Json, before: unknown, name: string): Json | undefined {
  const was = at(before, name);
  if (!isObject(was)) return undefined;
  const amounts: Json = { ...objectAt(container, 'resources', name) };
  for (const each of COMPUTE) {
    if (Object.hasOwn(was, each)) amounts[each] = was[each];
    else delete amounts[each];
  }
  return amounts;
}
