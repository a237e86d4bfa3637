import type { PolicyRule } from './policy-rule.js';
import type { RoleObject, RoleSelector } from './rbac-objects.js';

/** Whether a selector matches labels. */
export type LabelPredicate = (labels: Readonly<Record<string, string>>) => boolean;

/**
 * Returns the rules of an aggregated ClusterRole: its selectors in their order, the roles of each by name, and equal
 * rules once. The role itself is left out.
 * @param byName all ClusterRoles, in the order of their names
 * @param matcherOf compiles a selector; called once for each
 */
export function aggregatedRules(
  role: RoleObject,
  byName: readonly RoleObject[],
  matcherOf: (selector: RoleSelector) => LabelPredicate,
): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const selector of role.aggregates ?? []) {
    const matches = matcherOf(selector);
    for (const other of byName) {
      if (other.name === role.name || !matches(other.labels)) continue;
      for (const rule of other.rules) {
        const key = ruleKey(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/** Whether two lists of rules are equal, in the same order. */
export const sameRules = (a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean =>
  a.length === b.length && a.every((rule, index) => ruleKey(rule) === ruleKey(b[index] ?? {}));

/** Key that is equal for equal rules in the same order. */
const ruleKey = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((values) => values ?? []));
