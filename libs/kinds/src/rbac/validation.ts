import {
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  notSupported,
  pathSegmentErrors,
  required,
} from '@orch/machinery';
import { invalidEach, requiredText } from '../rules/checks.js';
import { selectorMatches, validateLabelSelector } from '../rules/label-selector.js';
import { each } from '../rules/lists.js';
import { at, isObject, type Json, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { shownStrings } from '../values/go-syntax.js';

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

/** A role; one in a namespace says nothing of what is outside of it. */
export function validateRole(role: unknown, namespaced: boolean): FieldError[] {
  const errors = objectsAt(role, 'rules').flatMap((rule, index) => validateRule(rule, `rules[${index}]`, namespaced));
  const aggregation = at(role, 'aggregationRule');
  if (namespaced || !isObject(aggregation)) return errors;
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = objectsAt(aggregation, 'clusterRoleSelectors');
  if (selectors.length === 0) {
    errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  const unreadable = (selector: Json, path: string) =>
    selectorMatches(selector, {}) === undefined ? [invalidValue(path, null, 'invalid label selector.')] : [];
  return [
    ...errors,
    ...each(selectors, field, (selector, path) => [
      ...validateLabelSelector(selector, path),
      ...unreadable(selector, path),
    ]),
  ];
}

function validateRule(rule: Json, path: string, namespaced: boolean): FieldError[] {
  const missing = (name: string, text: string) =>
    stringsAt(rule, name).length === 0 ? [required(`${path}.${name}`, text)] : [];
  const verbs = missing('verbs', 'verbs must contain at least one value');
  const urls = stringsAt(rule, 'nonResourceURLs');
  if (urls.length === 0) {
    return [
      ...verbs,
      ...missing('apiGroups', 'resource rules must supply at least one api group'),
      ...missing('resources', 'resource rules must supply at least one resource'),
    ];
  }
  const refuse = (text: string) => invalidValue(`${path}.nonResourceURLs`, shownStrings(urls), text);
  const mixed = ['apiGroups', 'resources', 'resourceNames'].some((name) => stringsAt(rule, name).length > 0);
  return [
    ...verbs,
    ...(namespaced ? [refuse('namespaced rules cannot apply to non-resource URLs')] : []),
    ...(mixed ? [refuse('rules cannot apply to both regular resources and non-resource URLs')] : []),
  ];
}

/** Who gets which role. `group` is the one that roles and users belong to. */
export function validateBinding(binding: unknown, group: string, namespaced: boolean): FieldError[] {
  const role = at(binding, 'roleRef');
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const [apiGroup, kind] = [textAt(role, 'apiGroup'), textAt(role, 'kind')];
  return [
    ...(apiGroup === group ? [] : [notSupported('roleRef.apiGroup', apiGroup, [group])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...requiredText(role, 'roleRef', 'name', pathSegmentErrors),
    ...objectsAt(binding, 'subjects').flatMap((subject, index) =>
      validateSubject(subject, `subjects[${index}]`, group, namespaced),
    ),
  ];
}

function validateSubject(subject: Json, path: string, group: string, namespaced: boolean): FieldError[] {
  const [name, kind, apiGroup] = ['name', 'kind', 'apiGroup'].map((member) => textAt(subject, member));
  const errors = name ? [] : [required(`${path}.name`)];
  switch (kind) {
    case 'ServiceAccount':
      if (name) errors.push(...invalidEach(`${path}.name`, name, dnsSubdomainErrors(name)));
      if (apiGroup) errors.push(notSupported(`${path}.apiGroup`, apiGroup, ['']));
      if (!namespaced && textAt(subject, 'namespace') === '') errors.push(required(`${path}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      return apiGroup === group ? errors : [...errors, notSupported(`${path}.apiGroup`, apiGroup, [group])];
    default:
      return [...errors, notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  }
}
