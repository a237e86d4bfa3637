import { duplicate, type FieldError } from '@orch/machinery';
import type { ContainerResizePolicy } from '@orch/schema/types/core/v1';
import { oneOf } from '../rules/checks.js';

const RESOURCES = ['cpu', 'memory'];
const POLICIES = ['NotRequired', 'RestartContainer'];

/** Checks the resize policies of a container; the reference includes an index only in errors about duplicates. */
export function validateResizePolicies(policies: readonly ContainerResizePolicy[], path: string): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap((policy, index) => {
    const resource = policy.resourceName ?? '';
    const again = seen.has(resource);
    seen.add(resource);
    return [
      ...(again ? [duplicate(`${path}[${index}]`, resource)] : []),
      ...oneOf(path, resource, RESOURCES),
      ...oneOf(path, policy.restartPolicy ?? '', POLICIES),
    ];
  });
}
