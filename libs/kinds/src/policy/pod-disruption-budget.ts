import { type FieldError, invalidValue } from '@orch/machinery';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '@orch/schema/types/policy/v1';
import { validateAmount, validateShare } from '../apps/strategy-validation.js';
import { isOneOf, nonNegativeMembers } from '../rules/checks.js';
import { validateConditions } from '../rules/conditions.js';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { hasStrangeValue, validateLabelSelector } from '../rules/label-selector.js';
import { shownBudget } from '../values/go-syntax.js';

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

const limit = (value: string | number | undefined): string =>
  value === undefined || value === null ? 'N/A' : String(value);

/** Rules of PodDisruptionBudget. */
export const podDisruptionBudget: KindDeclaration<PodDisruptionBudget> = {
  generation: true,
  unconditionalUpdate: false,
  freeFinalizers: true,
  gatedFields: [gatedMember('PDBUnhealthyPodEvictionPolicy', 'spec.unhealthyPodEvictionPolicy')],
  validate: ({ spec }, _names, old) => validateBudget(spec, old?.spec),
  validateStatus: ({ status }) => [
    ...validateConditions(status?.conditions ?? [], 'status.conditions'),
    ...nonNegativeMembers(status, 'status', COUNTS),
  ],
  row: (object) => ({
    'Min Available': limit(object.spec?.minAvailable),
    'Max Unavailable': limit(object.spec?.maxUnavailable),
    'Allowed Disruptions': object.status?.disruptionsAllowed ?? 0,
  }),
};

function validateBudget(
  spec: PodDisruptionBudgetSpec | undefined,
  old: PodDisruptionBudgetSpec | undefined,
): FieldError[] {
  const limits = (['minAvailable', 'maxUnavailable'] as const).filter(
    (name) => (spec?.[name] ?? undefined) !== undefined,
  );
  return [
    ...(limits.length > 1
      ? [invalidValue('spec', shownBudget(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...limits.flatMap((name) => [
      ...validateAmount(`spec.${name}`, spec?.[name]),
      ...validateShare(`spec.${name}`, spec?.[name]),
    ]),
    ...validateLabelSelector(spec?.selector, 'spec.selector', hasStrangeValue(old?.selector)),
    ...isOneOf('spec.unhealthyPodEvictionPolicy', spec?.unhealthyPodEvictionPolicy, EVICTION_POLICIES),
  ];
}
