import { copy, memberOf } from '@orch/machinery';
import type { Features } from '@orch/schema';
import type { Container, Pod, PodSpec, ResourceRequirements } from '@orch/schema/types/core/v1';
import { equal } from '../values/equal.js';
import { isEmpty } from '../values/fields.js';

/** Resources of a running pod that may change. */
const COMPUTE = ['cpu', 'memory'] as const;

/** Sets the default resize policies: no restart. Mutates. */
export function defaultResizePolicies(spec: PodSpec): void {
  for (const container of spec.containers ?? []) {
    const requests = container.resources?.requests;
    if (!requests) continue;
    const policies = [...(container.resizePolicy ?? [])];
    const named = new Set(policies.map((policy) => policy.resourceName));
    for (const resourceName of COMPUTE) {
      if (!Object.hasOwn(requests, resourceName) || named.has(resourceName)) continue;
      policies.push({ resourceName, restartPolicy: 'NotRequired' });
    }
    if (policies.length > 0) container.resizePolicy = policies;
  }
}

/** The spec of a stored pod as it would be stored now: it may be older than the feature. */
export function withPolicies(spec: PodSpec | undefined, features: Features): PodSpec | undefined {
  if (!spec || !features.enabled('InPlacePodVerticalScaling')) return spec;
  const whole = copy(spec);
  defaultResizePolicies(whole);
  return whole;
}

/**
 * Marks a resize as proposed in the status of a pod whose containers request other resources than they were allocated.
 * Mutates.
 */
export function proposeResize(pod: Pod, old: Pod): void {
  const before = old.spec?.containers ?? [];
  const given = new Map((pod.status?.containerStatuses ?? []).map((each) => [each.name, each.allocatedResources]));
  const proposed = (pod.spec?.containers ?? []).some(({ name, resources }, index) => {
    const requests = resources?.requests;
    if (!requests || equal(resources, before[index]?.resources) || !given.has(name)) return false;
    return !equal(requests, given.get(name));
  });
  if (proposed && pod.status) pod.status.resize = 'Proposed';
}

/** Containers with the CPU and memory of others, as these may change. */
export const withComputeOf = (containers: readonly Container[], olds: readonly Container[]): Container[] =>
  containers.map((container, index) => {
    const before = olds[index]?.resources;
    const { limits: _limits, requests: _requests, ...rest } = container.resources ?? {};
    const limits = amountsOf(container, before, 'limits');
    const requests = amountsOf(container, before, 'requests');
    const resources = { ...rest, ...(limits && { limits }), ...(requests && { requests }) };
    return { ...container, resources: isEmpty(resources) && isEmpty(before) ? before : resources };
  });

/** The amounts of a container with its CPU and memory as before; undefined where it had no such list. */
function amountsOf(
  container: Container,
  before: ResourceRequirements | undefined,
  name: 'limits' | 'requests',
): Record<string, string> | undefined {
  const was = before?.[name];
  if (!was) return undefined;
  const amounts: Record<string, string> = { ...container.resources?.[name] };
  for (const each of COMPUTE) {
    const amount = memberOf(was, each);
    if (amount !== undefined) amounts[each] = amount;
    else delete amounts[each];
  }
  return amounts;
}
