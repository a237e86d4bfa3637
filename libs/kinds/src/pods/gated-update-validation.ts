import { type FieldError, invalidValue } from '@orch/machinery';
import { equal } from '../values/equal.js';
import { at, isObject, type Json, mapAt, objectAt, objectsAt } from '../values/fields.js';
import { shownNodeLabels, shownNodeTerm, shownNodeTerms } from './shown-values.js';

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];
const TERMS = `spec.${REQUIRED.join('.')}`;

/** While gates hold a pod back, it may be told of fewer nodes, never of more. */
export const validateGatedUpdate = (spec: unknown, old: unknown): FieldError[] => [
  ...validateLabelsAdded(spec, old),
  ...validateTermsNarrowed(spec, old),
];

function validateLabelsAdded(spec: unknown, old: unknown): FieldError[] {
  const after = mapAt(spec, 'nodeSelector');
  const kept = Object.entries(mapAt(old, 'nodeSelector')).every(([key, value]) => after[key] === value);
  if (kept) return [];
  const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalidValue('spec.nodeSelector', shownNodeLabels(spec), text)];
}

/** Terms are alternatives, so that another one would add nodes; requirements of a term stand together. */
function validateTermsNarrowed(spec: unknown, old: unknown): FieldError[] {
  const [after, before] = [objectsAt(spec, ...REQUIRED), objectsAt(old, ...REQUIRED)];
  if (before.length > 0 && after.length !== before.length) {
    const shown = shownNodeTerms(Array.isArray(at(spec, ...REQUIRED)) ? after : undefined);
    return [invalidValue(TERMS, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return before.flatMap((term, index) => {
    if (onlyAdds(objectAt(after[index]), term)) return [];
    const text = 'only additions are allowed (no mutations or deletions)';
    return [invalidValue(`${TERMS}[${index}]`, shownNodeTerm(after[index]), text)];
  });
}

const LISTS = ['matchExpressions', 'matchFields'];

/** An empty term matches nothing, and anything more than nothing is more. */
function onlyAdds(after: Readonly<Json>, before: Json): boolean {
  const [now, then] = [after, before].map((term) => LISTS.map((list) => objectsAt(term, list)));
  if (then?.every((list) => list.length === 0)) return now?.every((list) => list.length === 0) ?? true;
  return then?.every((list, index) => equal(now?.[index]?.slice(0, list.length), list)) ?? true;
}

/** An affinity with the nodes of another one, as these are judged by themselves. */
export function withNodeAffinity(affinity: unknown, before: unknown): unknown {
  const { nodeAffinity: now, ...rest } = objectAt(affinity);
  const kept = objectAt(before).nodeAffinity;
  if (equal(now, kept)) return affinity;
  const whole = { ...rest, ...(kept !== undefined && { nodeAffinity: kept }) };
  return isObject(before) || Object.keys(whole).length > 0 ? whole : undefined;
}
