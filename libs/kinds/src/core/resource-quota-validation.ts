import { type FieldError, invalidValue, type Names, required, tooMany, VerbatimValue } from '@orch/machinery';
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '@orch/schema/types/core/v1';
import { amountSteps, isQuotaResource, quotaResourceErrors, validateAmounts } from '../rules/resource-names.js';
import { shownList, shownStruct } from '../values/go-values.js';

const PODS = ['pods'];
const COMPUTED = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
/** Known quota resources that a quota with the scope can limit. */
const OF_SCOPE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['BestEffort', new Set(PODS)],
  ...['Terminating', 'NotTerminating', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity'].map(
    (scope) => [scope, new Set([...PODS, ...COMPUTED])] as const,
  ),
]);
/** The scope that has values, names of priority classes; the other scopes have none. */
const VALUED = 'PriorityClass';
const OPPOSED = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const UNFIT = 'unsupported scope applied to resource';
const NO_VALUES = new VerbatimValue('[]string(nil)');
const ONLY_EXISTS =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/** Most amounts of one quota: each commit that is charged to it processes all of them. */
const MAX_AMOUNTS = 1000;

const countErrors = (list: Readonly<Record<string, string>>, field: string): FieldError[] => {
  const count = Object.keys(list).length;
  return count > MAX_AMOUNTS ? [tooMany(field, count, MAX_AMOUNTS)] : [];
};

/** Checks a quota in steps. */
export function* quotaSteps({ spec }: ResourceQuota, names: Names): Iterable<FieldError[]> {
  yield countErrors(spec?.hard ?? {}, 'spec.hard');
  yield* amountSteps(spec?.hard ?? {}, 'spec.hard', quotaResourceErrors, names);
  yield [...validateScopes(spec), ...validateSelector(spec)];
}

/** Checks the limits and the usage in the status. */
export const validateQuotaStatus = ({ status }: ResourceQuota, names: Names): FieldError[] => [
  ...countErrors(status?.hard ?? {}, 'status.hard'),
  ...(['hard', 'used'] as const).flatMap((list) =>
    validateAmounts(status?.[list] ?? {}, `status.${list}`, quotaResourceErrors, names),
  ),
];

/** Refuses changes of the scopes. */
export function validateQuotaUpdate(object: ResourceQuota, old: ResourceQuota): FieldError[] {
  const [now, was] = [object, old].map((quota) => new Set(quota.spec?.scopes ?? []));
  if (now?.size === was?.size && [...(now ?? [])].every((scope) => was?.has(scope))) return [];
  return [invalidValue('spec.scopes', shownScopes(object.spec), 'field is immutable')];
}

const shownScopes = (spec: ResourceQuotaSpec | undefined) => shownList('core.ResourceQuotaScope', spec?.scopes ?? []);

function validateScopes(spec: ResourceQuotaSpec | undefined): FieldError[] {
  const scopes = spec?.scopes ?? [];
  const texts = [
    ...(scopes.every((scope) => OF_SCOPE.has(scope)) ? [] : ['unsupported scope']),
    ...(isFit(spec, scopes) ? [] : [UNFIT]),
    ...opposed(scopes),
  ];
  return texts.map((text) => invalidValue('spec.scopes', shownScopes(spec), text));
}

/** Returns whether the scopes support the known resources that the quota limits. */
function isFit(spec: ResourceQuotaSpec | undefined, scopes: readonly string[]): boolean {
  const limited = Object.keys(spec?.hard ?? {}).filter(isQuotaResource);
  return [...OF_SCOPE].every(
    ([scope, fitting]) => !scopes.includes(scope) || limited.every((name) => fitting.has(name)),
  );
}

const opposed = (scopes: readonly string[]): string[] =>
  OPPOSED.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => 'conflicting scopes');

function validateSelector(spec: ResourceQuotaSpec | undefined): FieldError[] {
  const selector = spec?.scopeSelector;
  if (!selector) return [];
  const path = 'spec.scopeSelector.matchExpressions';
  const requirements = selector.matchExpressions ?? [];
  const scopes = requirements.map((requirement) => requirement.scopeName ?? '');
  return [
    ...requirements.flatMap((requirement) => validateRequirement(requirement, path)),
    ...(isFit(spec, scopes) ? [] : [invalidValue(path, shownSelector(requirements), UNFIT)]),
    ...opposed(scopes).map((text) => invalidValue(path, shownScopes(spec), text)),
  ];
}

const shownSelector = (requirements: readonly ScopedResourceSelectorRequirement[]): VerbatimValue => {
  const shown = requirements.map((requirement) =>
    shownStruct('core.ScopedResourceSelectorRequirement', {
      ScopeName: requirement.scopeName ?? '',
      Operator: requirement.operator ?? '',
      Values: requirement.values === undefined ? NO_VALUES : shownList('string', requirement.values ?? []),
    }),
  );
  const list = shown.map(({ text }) => text).join(', ');
  return shownStruct('core.ScopeSelector', {
    MatchExpressions: new VerbatimValue(`[]core.ScopedResourceSelectorRequirement{${list}}`),
  });
};

function validateRequirement(requirement: ScopedResourceSelectorRequirement, path: string): FieldError[] {
  const [scope, operator] = [requirement.scopeName ?? '', requirement.operator ?? ''];
  const known = OF_SCOPE.has(scope);
  return [
    ...(known ? [] : [invalidValue(`${path}.scopeName`, scope, 'unsupported scope')]),
    ...(known && scope !== VALUED && operator !== 'Exists'
      ? [invalidValue(`${path}.operator`, operator, ONLY_EXISTS)]
      : []),
    ...validateValues(operator, requirement.values ?? [], path),
  ];
}

function validateValues(operator: string, values: readonly string[], path: string): FieldError[] {
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn': {
      if (values.length > 0) return [];
      const text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      return [required(field, text)];
    }
    case 'Exists':
    case 'DoesNotExist': {
      if (values.length === 0) return [];
      const text = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      return [invalidValue(field, shownList('string', values), text)];
    }
    default:
      return [invalidValue(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}
