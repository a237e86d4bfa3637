import { type FieldError, invalidValue } from '@orch/machinery';
import { validateAmount, validateShare } from '../apps/strategy-validation.js';
import { isOneOf } from '../rules/checks.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { at, countAt } from '../values/fields.js';
import { shownBudget } from '../values/go-syntax.js';

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

const limit = (value: unknown): string => (value === undefined || value === null ? 'N/A' : String(value));

export const podDisruptionBudget: KindDeclaration = {
  generation: true,
  unconditionalUpdate: false,
  validate: ({ spec }) => validateBudget(spec),
  row: (object) => ({
    'Min Available': limit(at(object, 'spec', 'minAvailable')),
    'Max Unavailable': limit(at(object, 'spec', 'maxUnavailable')),
    'Allowed Disruptions': countAt(object, 'status', 'disruptionsAllowed'),
  }),
};

function validateBudget(spec: unknown): FieldError[] {
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
    ...validateLabelSelector(at(spec, 'selector'), 'spec.selector'),
    ...isOneOf('spec.unhealthyPodEvictionPolicy', at(spec, 'unhealthyPodEvictionPolicy'), EVICTION_POLICIES),
  ];
}
