import {
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  notSupported,
  pathSegmentErrors,
  required,
} from '@orch/machinery';
import type { LabelSelector } from '@orch/schema/types/meta/v1';
import type { ClusterRole, PolicyRule, RoleBinding, Subject } from '@orch/schema/types/rbac/v1';
import { invalidEach, requiredText } from '../rules/checks.js';
import { selectorMatches, validateLabelSelector } from '../rules/label-selector.js';
import { each } from '../rules/lists.js';
import { shownStrings } from '../values/go-syntax.js';

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

/** Checks a role; one in a namespace must not have rules for non-resource URLs. */
export function validateRole(role: ClusterRole, namespaced: boolean): FieldError[] {
  const errors = (role.rules ?? []).flatMap((rule, index) => validateRule(rule, `rules[${index}]`, namespaced));
  const aggregation = role.aggregationRule;
  if (namespaced || !aggregation) return errors;
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = aggregation.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  const unreadable = (selector: LabelSelector, path: string) =>
    selectorMatches(selector, {}) === undefined ? [invalidValue(path, null, 'invalid label selector.')] : [];
  return [
    ...errors,
    ...each(selectors, field, (selector, path) => [
      ...validateLabelSelector(selector, path),
      ...unreadable(selector, path),
    ]),
  ];
}

function validateRule(rule: PolicyRule, path: string, namespaced: boolean): FieldError[] {
  const missing = (name: 'verbs' | 'apiGroups' | 'resources', text: string) =>
    (rule[name] ?? []).length === 0 ? [required(`${path}.${name}`, text)] : [];
  const verbs = missing('verbs', 'verbs must contain at least one value');
  const urls = rule.nonResourceURLs ?? [];
  if (urls.length === 0) {
    return [
      ...verbs,
      ...missing('apiGroups', 'resource rules must supply at least one api group'),
      ...missing('resources', 'resource rules must supply at least one resource'),
    ];
  }
  const refuse = (text: string) => invalidValue(`${path}.nonResourceURLs`, shownStrings(urls), text);
  const mixed = (['apiGroups', 'resources', 'resourceNames'] as const).some((name) => (rule[name] ?? []).length > 0);
  return [
    ...verbs,
    ...(namespaced ? [refuse('namespaced rules cannot apply to non-resource URLs')] : []),
    ...(mixed ? [refuse('rules cannot apply to both regular resources and non-resource URLs')] : []),
  ];
}

/** Checks the role and the subjects of a binding. `group` is the one that roles and users belong to. */
export function validateBinding(binding: RoleBinding, group: string, namespaced: boolean): FieldError[] {
  const role = binding.roleRef;
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const [apiGroup, kind] = [role?.apiGroup ?? '', role?.kind ?? ''];
  return [
    ...(apiGroup === group ? [] : [notSupported('roleRef.apiGroup', apiGroup, [group])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...requiredText(role, 'roleRef', 'name', pathSegmentErrors),
    ...(binding.subjects ?? []).flatMap((subject, index) =>
      validateSubject(subject, `subjects[${index}]`, group, namespaced),
    ),
  ];
}

function validateSubject(subject: Subject, path: string, group: string, namespaced: boolean): FieldError[] {
  const [name, kind, apiGroup] = (['name', 'kind', 'apiGroup'] as const).map((member) => subject[member] ?? '');
  const errors = name ? [] : [required(`${path}.name`)];
  switch (kind) {
    case 'ServiceAccount':
      if (name) errors.push(...invalidEach(`${path}.name`, name, dnsSubdomainErrors(name)));
      if (apiGroup) errors.push(notSupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!namespaced && (subject.namespace ?? '') === '') errors.push(required(`${path}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      return apiGroup === group ? errors : [...errors, notSupported(`${path}.apiGroup`, apiGroup, [group])];
    default:
      return [...errors, notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  }
}
