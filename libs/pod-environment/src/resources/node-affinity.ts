import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '@orch/schema/types/core/v1';

/** Whether a node has the labels that a pod requires (`nodeSelector`, required node affinity). */
export function matchesNode(pod: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** A term without requirements matches nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  const fields: Record<string, string> = { 'metadata.name': node.metadata?.name ?? '' };
  return (
    matchExpressions.every((requirement) => matches(requirement, labels)) &&
    matchFields.every((requirement) => matches(requirement, fields))
  );
}

function matches({ key = '', operator, values = [] }: NodeSelectorRequirement, of: Readonly<Record<string, string>>) {
  const value = Object.hasOwn(of, key) ? of[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compares(value, values, (own, bound) => own > bound);
    case 'Lt':
      return compares(value, values, (own, bound) => own < bound);
    default:
      return false;
  }
}

function compares(
  value: string | undefined,
  values: readonly string[],
  holds: (own: bigint, bound: bigint) => boolean,
) {
  const [bound = ''] = values;
  const isNumber = (text: string) => /^[+-]?\d+$/.test(text);
  return value !== undefined && isNumber(value) && isNumber(bound) && holds(BigInt(value), BigInt(bound));
}
