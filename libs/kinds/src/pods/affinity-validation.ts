import { dnsLabelErrors, type FieldError, invalidValue, qualifiedNameErrors, required } from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { validateNodeSelector, validateNodeSelectorTerm } from '../rules/node-selector.js';
import { at, countAt, isObject, type Json, objectsAt, stringsAt, textAt } from '../values/fields.js';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MAX_WEIGHT = 100;

/** Nodes and other pods that a pod is drawn to or kept from. `anyValues`: selectors may name values that no label can have. */
export const validateAffinity = (affinity: unknown, path: string, anyValues: boolean): FieldError[] => [
  ...validateNodeAffinity(at(affinity, 'nodeAffinity'), `${path}.nodeAffinity`),
  ...validatePodAffinity(at(affinity, 'podAffinity'), `${path}.podAffinity`, anyValues),
  ...validatePodAffinity(at(affinity, 'podAntiAffinity'), `${path}.podAntiAffinity`, anyValues),
];

function validateNodeAffinity(affinity: unknown, path: string): FieldError[] {
  const selector = at(affinity, REQUIRED);
  return [
    ...(isObject(selector) ? validateNodeSelector(selector, `${path}.${REQUIRED}`) : []),
    ...objectsAt(affinity, PREFERRED).flatMap((term, index) => {
      const field = `${path}.${PREFERRED}[${index}]`;
      return [...validateWeight(term, field), ...validateNodeSelectorTerm(term.preference, `${field}.preference`)];
    }),
  ];
}

const validatePodAffinity = (affinity: unknown, path: string, anyValues: boolean): FieldError[] => [
  ...objectsAt(affinity, REQUIRED).flatMap((term, index) =>
    validatePodTerm(term, `${path}.${REQUIRED}[${index}]`, anyValues),
  ),
  ...objectsAt(affinity, PREFERRED).flatMap((term, index) => {
    const field = `${path}.${PREFERRED}[${index}]`;
    return [
      ...validateWeight(term, field),
      ...validatePodTerm(term.podAffinityTerm, `${field}.podAffinityTerm`, anyValues),
    ];
  }),
];

function validateWeight(term: Json, path: string): FieldError[] {
  const weight = countAt(term, 'weight');
  return weight >= 1 && weight <= MAX_WEIGHT
    ? []
    : [invalidValue(`${path}.weight`, weight, `must be in the range 1-${MAX_WEIGHT}`)];
}

function validatePodTerm(term: unknown, path: string, anyValues: boolean): FieldError[] {
  const topology = textAt(term, 'topologyKey');
  return [
    ...validateSelectors(term, path, anyValues),
    ...stringsAt(term, 'namespaces').flatMap((name) => invalidEach(`${path}.namespace`, name, dnsLabelErrors(name))),
    ...(topology === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...invalidEach(`${path}.topologyKey`, topology, qualifiedNameErrors(topology)),
  ];
}

const validateSelectors = (term: unknown, path: string, anyValues: boolean): FieldError[] => [
  ...validateLabelSelector(at(term, 'labelSelector'), `${path}.labelSelector`, anyValues),
  ...validateLabelSelector(at(term, 'namespaceSelector'), `${path}.namespaceSelector`, anyValues),
];

/** Whether a selector of an affinity would be refused. */
export const hasWrongSelectors = (affinity: unknown): boolean =>
  ['podAffinity', 'podAntiAffinity'].some((name) => {
    const pods = at(affinity, name);
    const terms = [...objectsAt(pods, REQUIRED), ...objectsAt(pods, PREFERRED).map((term) => term.podAffinityTerm)];
    return terms.some((term) => validateSelectors(term, '', false).length > 0);
  });
