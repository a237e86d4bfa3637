import { type FieldError, invalidValue, notSupported, required, type VerbatimValue } from '@orch/machinery';
import type { RuleWithOperations } from '@orch/schema/types/admissionregistration/v1';
import { isOneOf } from '../rules/checks.js';
import { each } from '../rules/lists.js';
import { shownStrings } from '../values/go-syntax.js';
import { shownList } from '../values/go-values.js';

/** Rules that say which requests webhooks and policies are asked about. */

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Checks a rule of a webhook or a policy. */
export function validateRule(rule: RuleWithOperations, path: string): FieldError[] {
  const operations = rule.operations ?? [];
  const shown = shownList('admissionregistration.OperationType', operations);
  return [
    ...wild(operations, `${path}.operations`, 'operations', shown),
    ...each(operations, `${path}.operations`, (operation, field) =>
      OPERATIONS.includes(operation) ? [] : [notSupported(field, operation, OPERATIONS)],
    ),
    ...wild(rule.apiGroups ?? [], `${path}.apiGroups`, 'API groups'),
    ...wild(rule.apiVersions ?? [], `${path}.apiVersions`, 'API versions'),
    ...each(rule.apiVersions ?? [], `${path}.apiVersions`, (version, field) =>
      version === '' ? [required(field)] : [],
    ),
    ...validateResources(rule.resources ?? [], `${path}.resources`),
    ...isOneOf(`${path}.scope`, rule.scope, SCOPES),
  ];
}

/** A list that names something; everything stands alone. */
function wild(
  items: readonly string[],
  field: string,
  what: string,
  shown: VerbatimValue = shownStrings(items),
): FieldError[] {
  if (items.length === 0) return [required(field)];
  if (items.length === 1 || !items.includes('*')) return [];
  return [invalidValue(field, shown, `if '*' is present, must not specify other ${what}`)];
}

/** Resources and subresources, of which one that takes in others stands before none of them. */
function validateResources(resources: readonly string[], path: string): FieldError[] {
  const [ofAnySubresource, ofAnyResource] = [new Set<string>(), new Set<string>()];
  const errors = each(resources, path, (text, field) => {
    if (text === '') return [required(field)];
    const slash = text.indexOf('/');
    if (slash < 0) return [];
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    const covering = [
      ...(ofAnySubresource.has(resource) ? [`${resource}/*`] : []),
      ...(ofAnyResource.has(subresource) ? [`*/${subresource}`] : []),
    ];
    if (subresource === '*') ofAnySubresource.add(resource);
    if (resource === '*') ofAnyResource.add(subresource);
    return covering.map((one) => invalidValue(field, text, `if '${one}' is present, must not specify ${text}`));
  });
  return [...(resources.length === 0 ? [required(path)] : []), ...errors, ...validateWildcards(resources, path)];
}

function validateWildcards(resources: readonly string[], path: string): FieldError[] {
  const texts: string[] = [];
  if (resources.length > 1 && resources.includes('*/*')) {
    texts.push("if '*/*' is present, must not specify other resources");
  }
  // As in the reference system, the last resource without a subresource decides.
  const last = resources.findLast((text) => text !== '' && !text.includes('/'));
  if (resources.includes('*') && last !== '*') {
    texts.push("if '*' is present, must not specify other resources without subresources");
  }
  return texts.map((text) => invalidValue(path, shownStrings(resources), text));
}
