import {
  dnsSubdomainErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySelectorTerm,
} from '@orch/schema/types/core/v1';
import { invalidEach } from './checks.js';
import { each, refuseRepeated } from './lists.js';

const NO_OPERATOR = 'not a valid selector operator';

/** Which nodes something can be on: terms are alternatives, the requirements of one all hold. */
export function validateNodeSelector(selector: NodeSelector, path: string): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  const field = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(field, 'must have at least one node selector term')];
  return each(terms, field, validateNodeSelectorTerm);
}

export const validateNodeSelectorTerm = (term: NodeSelectorTerm | undefined, path: string): FieldError[] => [
  ...each(term?.matchExpressions ?? [], `${path}.matchExpressions`, validateLabelRequirement),
  ...each(term?.matchFields ?? [], `${path}.matchFields`, validateFieldRequirement),
];

function validateLabelRequirement(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const key = requirement.key ?? '';
  return [...validateOperator(requirement, path), ...invalidEach(`${path}.key`, key, qualifiedNameErrors(key))];
}

function validateOperator(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const operator = requirement.operator ?? '';
  const count = (requirement.values ?? []).length;
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return [];
      return [forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${path}.operator`, operator, NO_OPERATOR)];
  }
}

/** The only field is the name. */
function validateFieldRequirement(requirement: NodeSelectorRequirement, path: string): FieldError[] {
  const [operator, key] = [requirement.operator ?? '', requirement.key ?? ''];
  const values = requirement.values ?? [];
  const one = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  const errors =
    operator !== 'In' && operator !== 'NotIn'
      ? [invalidValue(`${path}.operator`, operator, NO_OPERATOR)]
      : values.length === 1
        ? []
        : [required(`${path}.values`, one)];
  if (key !== 'metadata.name') {
    return [...errors, invalidValue(`${path}.key`, key, 'not a valid field selector key')];
  }
  const names = each(values, `${path}.values`, (name, field) => invalidEach(field, name, dnsSubdomainErrors(name)));
  return [...errors, ...names];
}

/** Checks the topologies that volumes can be made in, alternatives that differ; one that asks for nothing differs from none, as clients know it. */
export function validateTopologies(terms: readonly TopologySelectorTerm[], path: string): FieldError[] {
  const seen = new Set([canonicalTerm({})]);
  return each(terms, path, (term, field) => {
    const known = canonicalTerm(term);
    const again = seen.has(known) ? [duplicate(`${field}.matchLabelExpressions`, '')] : [];
    seen.add(known);
    return [...validateTopologyTerm(term, field), ...again];
  });
}

/** The same text for terms that mean the same. Of a key that stands twice the last values count. */
function canonicalTerm(term: TopologySelectorTerm): string {
  const values = new Map(
    (term.matchLabelExpressions ?? []).map((requirement) => [
      requirement.key ?? '',
      [...new Set(requirement.values ?? [])].sort(),
    ]),
  );
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Checks a topology: keys of labels, each once, with the values that they may have. */
function validateTopologyTerm(term: TopologySelectorTerm, path: string): FieldError[] {
  const field = `${path}.matchLabelExpressions`;
  const seen = new Set<string>();
  return each(term.matchLabelExpressions ?? [], field, (requirement, at) => {
    const key = requirement.key ?? '';
    const values = requirement.values ?? [];
    const again = seen.has(key) ? [duplicate(`${at}.key`, key)] : [];
    seen.add(key);
    return [
      ...(values.length === 0 ? [required(`${at}.values`)] : []),
      ...refuseRepeated(values, `${at}.values`),
      ...invalidEach(`${at}.key`, key, qualifiedNameErrors(key)),
      ...again,
    ];
  });
}
