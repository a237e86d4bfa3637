import { type FieldError, invalidValue } from '@orch/machinery';
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec } from '@orch/schema/types/flowcontrol/v1beta3';
import { equal } from '../values/equal.js';

/**
 * Objects that every installation has and that cannot be changed: without them requests might match no priority level.
 */

const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

const groups = (...names: string[]) => names.map((name) => ({ kind: 'Group', group: { name } }));

/** Specifications of the schemas that must always be there, by name. */
export const FIXED_SCHEMAS: ReadonlyMap<string, unknown> = new Map([
  [
    'exempt',
    {
      matchingPrecedence: 1,
      priorityLevelConfiguration: { name: 'exempt' },
      rules: [{ subjects: groups('system:masters'), ...EVERYTHING }],
    },
  ],
  [
    'catch-all',
    {
      matchingPrecedence: 10_000,
      priorityLevelConfiguration: { name: 'catch-all' },
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: groups('system:unauthenticated', 'system:authenticated'), ...EVERYTHING }],
    },
  ],
]);

/** @param shares the member that holds the shares of a level */
export const fixedLevels = (shares: string): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>([
    ['exempt', { type: 'Exempt' }],
    ['catch-all', { type: 'Limited', limited: { [shares]: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } }],
  ]);

/** Refuses a spec that differs from the fixed one under its name. */
export function validateFixed(
  name: string,
  spec: FlowSchemaSpec | PriorityLevelConfigurationSpec | undefined,
  fixed: ReadonlyMap<string, unknown>,
): FieldError[] {
  if (!fixed.has(name) || equal(spec, fixed.get(name))) return [];
  return [invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`)];
}
