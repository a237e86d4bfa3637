import { type LabelSelector, labelSelectorOf } from '@orch/machinery';
import type { Affinity, PodAffinityTerm, WeightedPodAffinityTerm } from '@orch/schema/types/core/v1';

/** Labels of an object. */
export type LabelSet = Readonly<Record<string, string>>;

/** Labels of an object that has none. */
const NO_LABELS: LabelSet = Object.freeze(Object.create(null));

/** Returns labels with no members but their own: users name keys, such as `constructor`. */
export const ownLabels = (labels: LabelSet | undefined): LabelSet =>
  labels === undefined ? NO_LABELS : Object.assign(Object.create(null), labels);

/** A term of pod affinity or anti-affinity, parsed. */
export interface AffinityTerm {
  /** Equal for terms that mean the same. */
  readonly id: string;
  /** Namespaces by name. */
  readonly namespaces: ReadonlySet<string>;
  /** Namespaces by their labels; an absent one in the spec selects none. */
  readonly namespaceSelector: LabelSelector;
  /** Labels of the pods that are meant. */
  readonly selector: LabelSelector;
  /** Label of nodes: nodes with one value are one place. */
  readonly topologyKey: string;
  /** Weight of a preferred term: 1 to 100, negative for anti-affinity. 0 for a required one. */
  readonly weight: number;
}

/** All terms of a pod. */
export interface AffinityTerms {
  /** Required affinity. */
  readonly required: readonly AffinityTerm[];
  /** Required anti-affinity. */
  readonly requiredAnti: readonly AffinityTerm[];
  /** Preferred affinity, then preferred anti-affinity. */
  readonly preferred: readonly AffinityTerm[];
}

const NONE: AffinityTerms = { required: [], requiredAnti: [], preferred: [] };

/**
 * Returns the parsed terms of a pod of a namespace. A list with a term that cannot be parsed is left out, the others are
 * kept. @param errors gets what was wrong with it
 */
export function affinityTermsOf(
  affinity: Affinity | undefined,
  namespace: string,
  errors: Error[] = [],
): AffinityTerms {
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  if (!podAffinity && !podAntiAffinity) return NONE;
  const parse = (term: PodAffinityTerm) => parseTerm(term, namespace);
  const weigh = (factor: 1 | -1) => {
    return ({ weight = 0, podAffinityTerm = {} }: WeightedPodAffinityTerm): AffinityTerm => {
      const term = parse(podAffinityTerm);
      return { ...term, id: `${factor * weight} ${term.id}`, weight: factor * weight };
    };
  };
  const all = <T>(terms: readonly T[] = [], read: (term: T) => AffinityTerm) => parseAll(terms, read, errors);
  return {
    required: all(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution, parse),
    requiredAnti: all(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution, parse),
    preferred: [
      ...all(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, weigh(1)),
      ...all(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, weigh(-1)),
    ],
  };
}

function parseAll<T>(terms: readonly T[], parse: (term: T) => AffinityTerm, errors: Error[]): readonly AffinityTerm[] {
  try {
    return terms.map(parse);
  } catch (error) {
    errors.push(error as Error);
    return [];
  }
}

function parseTerm(term: PodAffinityTerm, namespace: string): AffinityTerm {
  const { namespaces = [], topologyKey = '' } = term;
  const selector = labelSelectorOf(term.labelSelector);
  const namespaceSelector = labelSelectorOf(term.namespaceSelector);
  const names = namespaces.length === 0 && !term.namespaceSelector ? [namespace] : namespaces;
  const parts = [topologyKey, [...names].sort().join(), selectorId(namespaceSelector), selectorId(selector)];
  return { id: parts.join('|'), namespaces: new Set(names), namespaceSelector, selector, topologyKey, weight: 0 };
}

const selectorId = ({ canonical }: LabelSelector): string => canonical;

/** Whether a term means a pod, by its namespace, the labels of that, and its own. */
export function termMeans(term: AffinityTerm, namespace: string, namespaceLabels: LabelSet, labels: LabelSet): boolean {
  if (!term.namespaces.has(namespace) && !term.namespaceSelector.matches(namespaceLabels)) return false;
  return term.selector.matches(labels);
}
