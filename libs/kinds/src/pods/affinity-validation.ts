import { dnsLabelErrors, type FieldError, invalidValue, qualifiedNameErrors, required } from '@orch/machinery';
import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  PreferredSchedulingTerm,
  WeightedPodAffinityTerm,
} from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { validateNodeSelector, validateNodeSelectorTerm } from '../rules/node-selector.js';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MAX_WEIGHT = 100;

/** Nodes and other pods that a pod is drawn to or kept from. `anyValues`: selectors may name values that no label can have. */
export const validateAffinity = (affinity: Affinity | undefined, path: string, anyValues: boolean): FieldError[] => [
  ...validateNodeAffinity(affinity?.nodeAffinity, `${path}.nodeAffinity`),
  ...validatePodAffinity(affinity?.podAffinity, `${path}.podAffinity`, anyValues),
  ...validatePodAffinity(affinity?.podAntiAffinity, `${path}.podAntiAffinity`, anyValues),
];

function validateNodeAffinity(affinity: NodeAffinity | undefined, path: string): FieldError[] {
  const selector = affinity?.[REQUIRED];
  return [
    ...(selector ? validateNodeSelector(selector, `${path}.${REQUIRED}`) : []),
    ...(affinity?.[PREFERRED] ?? []).flatMap((term, index) => {
      const field = `${path}.${PREFERRED}[${index}]`;
      return [...validateWeight(term, field), ...validateNodeSelectorTerm(term.preference, `${field}.preference`)];
    }),
  ];
}

const validatePodAffinity = (
  affinity: PodAffinity | PodAntiAffinity | undefined,
  path: string,
  anyValues: boolean,
): FieldError[] => [
  ...(affinity?.[REQUIRED] ?? []).flatMap((term, index) =>
    validatePodTerm(term, `${path}.${REQUIRED}[${index}]`, anyValues),
  ),
  ...(affinity?.[PREFERRED] ?? []).flatMap((term, index) => {
    const field = `${path}.${PREFERRED}[${index}]`;
    return [
      ...validateWeight(term, field),
      ...validatePodTerm(term.podAffinityTerm, `${field}.podAffinityTerm`, anyValues),
    ];
  }),
];

function validateWeight(term: PreferredSchedulingTerm | WeightedPodAffinityTerm, path: string): FieldError[] {
  const weight = term.weight ?? 0;
  return weight >= 1 && weight <= MAX_WEIGHT
    ? []
    : [invalidValue(`${path}.weight`, weight, `must be in the range 1-${MAX_WEIGHT}`)];
}

function validatePodTerm(term: PodAffinityTerm | undefined, path: string, anyValues: boolean): FieldError[] {
  const topology = term?.topologyKey ?? '';
  return [
    ...validateSelectors(term, path, anyValues),
    ...(term?.namespaces ?? []).flatMap((name) => invalidEach(`${path}.namespace`, name, dnsLabelErrors(name))),
    ...(topology === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...invalidEach(`${path}.topologyKey`, topology, qualifiedNameErrors(topology)),
  ];
}

const validateSelectors = (term: PodAffinityTerm | undefined, path: string, anyValues: boolean): FieldError[] => [
  ...validateLabelSelector(term?.labelSelector, `${path}.labelSelector`, anyValues),
  ...validateLabelSelector(term?.namespaceSelector, `${path}.namespaceSelector`, anyValues),
];

/** Whether a selector of an affinity would be refused. */
export const hasWrongSelectors = (affinity: Affinity | undefined): boolean =>
  (['podAffinity', 'podAntiAffinity'] as const).some((name) => {
    const pods = affinity?.[name];
    const terms = [...(pods?.[REQUIRED] ?? []), ...(pods?.[PREFERRED] ?? []).map((term) => term.podAffinityTerm)];
    return terms.some((term) => validateSelectors(term, '', false).length > 0);
  });
