import { duplicate, type FieldError } from '@orch/machinery';
import { oneOf } from '../rules/checks.js';
import { type Json, textAt } from '../values/fields.js';

const RESOURCES = ['cpu', 'memory'];
const POLICIES = ['NotRequired', 'RestartContainer'];

/** What happens to a container when its resources are changed; the reference names an index only of what is there twice. */
export function validateResizePolicies(policies: readonly Json[], path: string): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap((policy, index) => {
    const resource = textAt(policy, 'resourceName');
    const again = seen.has(resource);
    seen.add(resource);
    return [
      ...(again ? [duplicate(`${path}[${index}]`, resource)] : []),
      ...oneOf(path, resource, RESOURCES),
      ...oneOf(path, textAt(policy, 'restartPolicy'), POLICIES),
    ];
  });
}
