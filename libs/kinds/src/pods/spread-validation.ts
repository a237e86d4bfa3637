import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import type { PodSpec, TopologySpreadConstraint } from '@orch/schema/types/core/v1';
import { invalidEach, isOneOf } from '../rules/checks.js';
import { validateLabelSelector } from '../rules/label-selector.js';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const NODE_POLICIES = ['Honor', 'Ignore'];
const NOT_POSITIVE = 'must be greater than zero';

/** How pods are spread over the nodes. `anySelectors`: selectors are not looked at. */
export function validateSpread(spec: PodSpec | undefined, path: string, anySelectors: boolean): FieldError[] {
  const constraints = spec?.topologySpreadConstraints ?? [];
  const last = new Map(constraints.map((constraint, index) => [kindOf(constraint), index]));
  return constraints.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const again = last.get(kindOf(constraint)) !== index;
    return [
      ...validateTopology(constraint, at),
      // The last of several is the one that is none too many.
      ...(again ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, kindOf(constraint))] : []),
      ...validateDomains(constraint, `${at}.minDomains`),
      ...isOneOf(`${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, NODE_POLICIES),
      ...isOneOf(`${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, NODE_POLICIES),
      ...validateMatchLabelKeys(constraint, `${at}.matchLabelKeys`),
      ...(anySelectors ? [] : validateLabelSelector(constraint.labelSelector, `${at}.labelSelector`)),
    ];
  });
}

const kindOf = (constraint: TopologySpreadConstraint): string =>
  `{${constraint.topologyKey ?? ''}, ${constraint.whenUnsatisfiable ?? ''}}`;

function validateTopology(constraint: TopologySpreadConstraint, path: string): FieldError[] {
  const [skew, action] = [constraint.maxSkew ?? 0, constraint.whenUnsatisfiable ?? ''];
  return [
    ...(skew > 0 ? [] : [invalidValue(`${path}.maxSkew`, skew, NOT_POSITIVE)]),
    ...((constraint.topologyKey ?? '') === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...(ACTIONS.includes(action) ? [] : [notSupported(`${path}.whenUnsatisfiable`, action, ACTIONS)]),
  ];
}

function validateDomains(constraint: TopologySpreadConstraint, field: string): FieldError[] {
  const [domains, action] = [constraint.minDomains, constraint.whenUnsatisfiable ?? ''];
  if (domains === undefined) return [];
  const errors = domains > 0 ? [] : [invalidValue(field, domains, NOT_POSITIVE)];
  if (action === 'DoNotSchedule') return errors;
  const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [...errors, invalidValue(field, domains, text)];
}

/** Checks the keys whose values pods must share; the selector must not use them too. */
function validateMatchLabelKeys(constraint: TopologySpreadConstraint, path: string): FieldError[] {
  const keys = constraint.matchLabelKeys ?? [];
  if (keys.length === 0) return [];
  const selector = constraint.labelSelector;
  const selected = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map((requirement) => requirement.key ?? ''),
  ]);
  return [
    ...(selector ? [] : [forbiddenField(path, 'must not be specified when labelSelector is not set')]),
    ...keys.flatMap((key, index) => {
      const both = selected.has(key) ? ['exists in both matchLabelKeys and labelSelector'] : [];
      return invalidEach(`${path}[${index}]`, key, [...qualifiedNameErrors(key), ...both]);
    }),
  ];
}

/** Whether a selector of a spread would be refused. */
export const hasWrongSpreadSelectors = (spec: PodSpec | undefined): boolean =>
  (spec?.topologySpreadConstraints ?? []).some(
    (constraint) => validateLabelSelector(constraint.labelSelector, '').length > 0,
  );
