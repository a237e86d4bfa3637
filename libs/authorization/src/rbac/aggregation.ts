import type { PolicyRule } from './policy-rule.js';
import type { RoleObject, RoleSelector } from './rbac-objects.js';

/**
 * The rules of a ClusterRole that is made of others: its selectors in their order, the roles of each by name, and rules that say the
 * same once. The role itself is left out.
 * @param matches whether a selector, of its own form, fits labels
 */
export function aggregatedRules(
  role: RoleObject,
  clusterRoles: readonly RoleObject[],
  matches: (selector: RoleSelector, labels: Readonly<Record<string, string>>) => boolean,
): PolicyRule[] {
  const byName = [...clusterRoles].sort((a, b) => (a.name < b.name ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const selector of role.aggregates ?? []) {
    for (const other of byName) {
      if (other.name === role.name || !matches(selector, other.labels)) continue;
      for (const rule of other.rules) {
        const key = ruleKey(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/** Whether two lists of rules are the same, in the same order. */
export const sameRules = (a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean =>
  a.length === b.length && a.every((rule, index) => ruleKey(rule) === ruleKey(b[index] ?? {}));

/** The same for rules that say the same in the same order. */
const ruleKey = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((values) => values ?? []));
