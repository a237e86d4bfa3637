import type { ObjectState } from './object-state.js';

/**
 * The selection of a list or watch. It is evaluated independently here, so that the system's selectors are checked
 * against other code.
 */
export interface Selection {
  readonly namespace?: string;
  readonly name?: string;
  readonly tier?: TierRequirement;
  readonly reason?: { readonly equals: boolean; readonly value: string };
}

export type TierRequirement =
  | { readonly op: 'in'; readonly values: readonly string[] }
  | { readonly op: 'not-in'; readonly values: readonly string[] }
  | { readonly op: 'absent' };

export function selects({ namespace, name, tier, reason }: Selection, state: ObjectState): boolean {
  if (namespace !== undefined && state.namespace !== namespace) return false;
  if (name !== undefined && state.name !== name) return false;
  if (tier !== undefined && !tierMatches(tier, state.tier)) return false;
  return reason === undefined || (state.reason === reason.value) === reason.equals;
}

/** Matches as Kubernetes does: `!=` and `notin` match objects without the label. */
function tierMatches(requirement: TierRequirement, tier: string): boolean {
  switch (requirement.op) {
    case 'in':
      return requirement.values.includes(tier);
    case 'not-in':
      return !requirement.values.includes(tier);
    case 'absent':
      return tier === '';
  }
}

/** The query parameters that ask for it; the namespace is part of the path. */
export function selectorsOf({ name, tier, reason }: Selection): { labelSelector?: string; fieldSelector?: string } {
  const fields = [
    ...(name === undefined ? [] : [`metadata.name=${name}`]),
    ...(reason === undefined ? [] : [`reason${reason.equals ? '=' : '!='}${reason.value}`]),
  ];
  return {
    ...(tier && { labelSelector: labelSelector(tier) }),
    ...(fields.length > 0 && { fieldSelector: fields.join(',') }),
  };
}

function labelSelector(requirement: TierRequirement): string {
  if (requirement.op === 'absent') return '!tier';
  const [first, ...others] = requirement.values;
  if (others.length === 0) return `tier${requirement.op === 'in' ? '=' : '!='}${first}`;
  return `tier ${requirement.op === 'in' ? 'in' : 'notin'} (${requirement.values.join(',')})`;
}

export const describeSelection = (selection: Selection): string => JSON.stringify(selection);
