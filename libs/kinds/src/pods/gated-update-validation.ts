import { type FieldError, invalidValue } from '@orch/machinery';
import type { Affinity, NodeSelectorTerm, PodSpec } from '@orch/schema/types/core/v1';
import { equal } from '../values/equal.js';
import { shownNodeLabels, shownNodeTerm, shownNodeTerms } from './shown-values.js';

const TERMS = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

const termsOf = (spec: PodSpec | undefined): readonly NodeSelectorTerm[] | undefined =>
  spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

/** Checks that updates of a pod with scheduling gates only narrow the set of its nodes. */
export const validateGatedUpdate = (spec: PodSpec | undefined, old: PodSpec | undefined): FieldError[] => [
  ...validateLabelsAdded(spec, old),
  ...validateTermsNarrowed(spec, old),
];

function validateLabelsAdded(spec: PodSpec | undefined, old: PodSpec | undefined): FieldError[] {
  const after = spec?.nodeSelector ?? {};
  const kept = Object.entries(old?.nodeSelector ?? {}).every(([key, value]) => after[key] === value);
  if (kept) return [];
  const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalidValue('spec.nodeSelector', shownNodeLabels(spec), text)];
}

/** Terms are alternatives, so that another one would add nodes; requirements of a term stand together. */
function validateTermsNarrowed(spec: PodSpec | undefined, old: PodSpec | undefined): FieldError[] {
  const [terms, before] = [termsOf(spec), termsOf(old) ?? []];
  const after = terms ?? [];
  if (before.length > 0 && after.length !== before.length) {
    const shown = shownNodeTerms(terms);
    return [invalidValue(TERMS, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return before.flatMap((term, index) => {
    if (onlyAdds(after[index] ?? {}, term)) return [];
    const text = 'only additions are allowed (no mutations or deletions)';
    return [invalidValue(`${TERMS}[${index}]`, shownNodeTerm(after[index]), text)];
  });
}

const LISTS = ['matchExpressions', 'matchFields'] as const;

/** An empty term matches nothing, and anything more than nothing is more. */
function onlyAdds(after: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const [now, then] = [after, before].map((term) => LISTS.map((list) => term[list] ?? []));
  if (then?.every((list) => list.length === 0)) return now?.every((list) => list.length === 0) ?? true;
  return then?.every((list, index) => equal(now?.[index]?.slice(0, list.length), list)) ?? true;
}

/** Returns an affinity with the node affinity of another one, as that is checked separately. */
export function withNodeAffinity(affinity: Affinity | undefined, before: Affinity | undefined): Affinity | undefined {
  const { nodeAffinity: now, ...rest }: Affinity = affinity ?? {};
  const kept = before?.nodeAffinity;
  if (equal(now, kept)) return affinity;
  const whole = { ...rest, ...(kept !== undefined && { nodeAffinity: kept }) };
  return before || Object.keys(whole).length > 0 ? whole : undefined;
}
