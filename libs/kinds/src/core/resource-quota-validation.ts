import {
  type ApiObject,
  type FieldError,
  invalidValue,
  type Names,
  required,
  tooMany,
  VerbatimValue,
} from '@orch/machinery';
import { amountSteps, isQuotaResource, quotaResourceErrors, validateAmounts } from '../rules/resource-names.js';
import { at, isObject, type Json, mapAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { shownList, shownStruct } from '../values/go-values.js';

const PODS = ['pods'];
const COMPUTED = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
/** Resources that a quota of the scope can limit, of those that quotas know. */
const OF_SCOPE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['BestEffort', new Set(PODS)],
  ...['Terminating', 'NotTerminating', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity'].map(
    (scope) => [scope, new Set([...PODS, ...COMPUTED])] as const,
  ),
]);
/** Of a priority class there are many; the other scopes are there or not. */
const VALUED = 'PriorityClass';
const OPPOSED = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const UNFIT = 'unsupported scope applied to resource';
const NO_VALUES = new VerbatimValue('[]string(nil)');
const ONLY_EXISTS =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/** Amounts of one quota: all of them are reckoned with in each commit that is charged to it. */
const MAX_AMOUNTS = 1000;

const countErrors = (list: Json, field: string): FieldError[] => {
  const count = Object.keys(list).length;
  return count > MAX_AMOUNTS ? [tooMany(field, count, MAX_AMOUNTS)] : [];
};

export function* quotaSteps({ spec }: ApiObject, names: Names): Iterable<FieldError[]> {
  yield countErrors(mapAt(spec, 'hard'), 'spec.hard');
  yield* amountSteps(mapAt(spec, 'hard'), 'spec.hard', quotaResourceErrors, names);
  yield [...validateScopes(spec), ...validateSelector(spec)];
}

/** What is used, beside what may be. */
export const validateQuotaStatus = ({ status }: ApiObject, names: Names): FieldError[] => [
  ...countErrors(mapAt(status, 'hard'), 'status.hard'),
  ...['hard', 'used'].flatMap((list) =>
    validateAmounts(mapAt(status, list), `status.${list}`, quotaResourceErrors, names),
  ),
];

/** A quota limits in one scope for ever. */
export function validateQuotaUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const [now, was] = [object, old].map((quota) => new Set(stringsAt(quota, 'spec', 'scopes')));
  if (now?.size === was?.size && [...(now ?? [])].every((scope) => was?.has(scope))) return [];
  return [invalidValue('spec.scopes', shownScopes(object.spec), 'field is immutable')];
}

const shownScopes = (spec: unknown) => shownList('core.ResourceQuotaScope', stringsAt(spec, 'scopes'));

function validateScopes(spec: unknown): FieldError[] {
  const scopes = stringsAt(spec, 'scopes');
  const texts = [
    ...(scopes.every((scope) => OF_SCOPE.has(scope)) ? [] : ['unsupported scope']),
    ...(isFit(spec, scopes) ? [] : [UNFIT]),
    ...opposed(scopes),
  ];
  return texts.map((text) => invalidValue('spec.scopes', shownScopes(spec), text));
}

/** Whether the scopes have the resources that the quota limits, of those that quotas know. */
function isFit(spec: unknown, scopes: readonly string[]): boolean {
  const limited = Object.keys(mapAt(spec, 'hard')).filter(isQuotaResource);
  return [...OF_SCOPE].every(
    ([scope, fitting]) => !scopes.includes(scope) || limited.every((name) => fitting.has(name)),
  );
}

const opposed = (scopes: readonly string[]): string[] =>
  OPPOSED.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => 'conflicting scopes');

function validateSelector(spec: unknown): FieldError[] {
  const selector = at(spec, 'scopeSelector');
  if (!isObject(selector)) return [];
  const path = 'spec.scopeSelector.matchExpressions';
  const requirements = objectsAt(selector, 'matchExpressions');
  const scopes = requirements.map((requirement) => textAt(requirement, 'scopeName'));
  return [
    ...requirements.flatMap((requirement) => validateRequirement(requirement, path)),
    ...(isFit(spec, scopes) ? [] : [invalidValue(path, shownSelector(requirements), UNFIT)]),
    ...opposed(scopes).map((text) => invalidValue(path, shownScopes(spec), text)),
  ];
}

const shownSelector = (requirements: readonly Json[]): VerbatimValue => {
  const shown = requirements.map((requirement) =>
    shownStruct('core.ScopedResourceSelectorRequirement', {
      ScopeName: textAt(requirement, 'scopeName'),
      Operator: textAt(requirement, 'operator'),
      Values: requirement.values === undefined ? NO_VALUES : shownList('string', stringsAt(requirement, 'values')),
    }),
  );
  const list = shown.map(({ text }) => text).join(', ');
  return shownStruct('core.ScopeSelector', {
    MatchExpressions: new VerbatimValue(`[]core.ScopedResourceSelectorRequirement{${list}}`),
  });
};

function validateRequirement(requirement: Json, path: string): FieldError[] {
  const [scope, operator] = [textAt(requirement, 'scopeName'), textAt(requirement, 'operator')];
  const known = OF_SCOPE.has(scope);
  return [
    ...(known ? [] : [invalidValue(`${path}.scopeName`, scope, 'unsupported scope')]),
    ...(known && scope !== VALUED && operator !== 'Exists'
      ? [invalidValue(`${path}.operator`, operator, ONLY_EXISTS)]
      : []),
    ...validateValues(operator, stringsAt(requirement, 'values'), path),
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
