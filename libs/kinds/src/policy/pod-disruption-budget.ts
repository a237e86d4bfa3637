import { type FieldError, invalidValue } from '@orch/machinery';
import { validateAmount, validateShare } from '../apps/strategy-validation.js';
import { isOneOf, nonNegativeMembers } from '../rules/checks.js';
import { validateConditions } from '../rules/conditions.js';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { hasStrangeValue, validateLabelSelector } from '../rules/label-selector.js';
import { at, countAt, objectsAt } from '../values/fields.js';
import { shownBudget } from '../values/go-syntax.js';

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

const limit = (value: unknown): string => (value === undefined || value === null ? 'N/A' : String(value));

export const podDisruptionBudget: KindDeclaration = {
  generation: true,
  unconditionalUpdate: false,
  freeFinalizers: true,
  gatedFields: [gatedMember('PDBUnhealthyPodEvictionPolicy', 'spec.unhealthyPodEvictionPolicy')],
  validate: ({ spec }, _names, old) => validateBudget(spec, old?.spec),
  validateStatus: ({ status }) => [
    ...validateConditions(objectsAt(status, 'conditions'), 'status.conditions'),
    ...nonNegativeMembers(status, 'status', COUNTS),
  ],
  row: (object) => ({
    'Min Available': limit(at(object, 'spec', 'minAvailable')),
    'Max Unavailable': limit(at(object, 'spec', 'maxUnavailable')),
    'Allowed Disruptions': countAt(object, 'status', 'disruptionsAllowed'),
  }),
};

function validateBudget(spec: unknown, old: unknown): FieldError[] {
  const limits = ['minAvailable', 'maxUnavailable'].filter(
    (name) => at(spec, name) !== undefined && at(spec, name) !== null,
  );
  return [
    ...(limits.length > 1
      ? [invalidValue('spec', shownBudget(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...limits.flatMap((name) => [
      ...validateAmount(`spec.${name}`, at(spec, name)),
      ...validateShare(`spec.${name}`, at(spec, name)),
    ]),
    ...validateLabelSelector(at(spec, 'selector'), 'spec.selector', hasStrangeValue(at(old, 'selector'))),
    ...isOneOf('spec.unhealthyPodEvictionPolicy', at(spec, 'unhealthyPodEvictionPolicy'), EVICTION_POLICIES),
  ];
}
