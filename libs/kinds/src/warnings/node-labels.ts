import type { Names } from '@orch/machinery';
import type { NodeSelectorTerm } from '@orch/schema/types/core/v1';
import type { LabelSelector } from '@orch/schema/types/meta/v1';

/** Labels of nodes that have a later name: since which release, and that name. */
const LATER_NAMES: Readonly<Record<string, readonly [since: string, name: string]>> = {
  'beta.orch.io/arch': ['v1.14', 'orch.io/arch'],
  'beta.orch.io/os': ['v1.14', 'orch.io/os'],
  'failure-domain.beta.orch.io/region': ['v1.17', 'topology.orch.io/region'],
  'failure-domain.beta.orch.io/zone': ['v1.17', 'topology.orch.io/zone'],
  'beta.orch.io/instance-type': ['v1.17', 'node.orch.io/instance-type'],
};

/** The warning of each such label, in each profile of names. */
const texts = new Map<Names, ReadonlyMap<string, string>>();

function textsOf(names: Names): ReadonlyMap<string, string> {
  const known = texts.get(names);
  if (known) return known;
  const made = new Map(
    Object.entries(LATER_NAMES).map(([label, [since, later]]) => [
      names.key(label),
      `deprecated since ${since}; use "${names.key(later)}" instead`,
    ]),
  );
  texts.set(names, made);
  return made;
}

/** A label, and where it stands. */
type Placed = readonly [place: string, label: string];

/** Warns of keys of maps, which their place names. */
export const keyWarnings = (labels: readonly Placed[], names: Names): string[] =>
  labels.flatMap(([place, label]) => {
    const text = textsOf(names).get(label);
    return text === undefined ? [] : [`${place}: ${text}`];
  });

/** Warns of values that are labels. */
export const labelWarnings = (labels: readonly Placed[], names: Names): string[] =>
  labels.flatMap(([place, label]) => {
    const text = textsOf(names).get(label);
    return text === undefined ? [] : [`${place}: ${label} is ${text}`];
  });

/** An expression of a selector. */
interface Expression {
  readonly key?: string;
}

const expressionWarnings = (expressions: readonly Expression[], path: string, names: Names): string[] =>
  labelWarnings(
    expressions.map((expression, index) => [`${path}[${index}].key`, expression.key ?? '']),
    names,
  );

/** Warns of the expressions of a term. */
export const matchWarnings = (
  term: { readonly matchExpressions?: readonly Expression[] } | undefined,
  path: string,
  names: Names,
): string[] => expressionWarnings(term?.matchExpressions ?? [], `${path}.matchExpressions`, names);

/** Warns of the terms of a selector of nodes. */
export const termWarnings = (terms: readonly NodeSelectorTerm[], path: string, names: Names): string[] =>
  terms.flatMap((term, index) => matchWarnings(term, `${path}[${index}]`, names));

/** Warns of a selector of labels that nodes have. */
export const selectorWarnings = (selector: LabelSelector | undefined, path: string, names: Names): string[] => [
  ...matchWarnings(selector, path, names),
  ...keyWarnings(
    Object.keys(selector?.matchLabels ?? {}).map((label) => [`${path}.matchLabels.${label}`, label]),
    names,
  ),
];
