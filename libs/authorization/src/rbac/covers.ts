import { ALL, type PolicyRule, pathMatches } from './policy-rule.js';

/**
 * What of some rules is not in the power of others: every rule is broken down to its smallest ones, and each of these must be
 * covered by a single rule (component-helpers v0.27.16, auth/rbac/validation).
 */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const index = new OwnedRules(owned);
  return wanted.flatMap(breakdown).filter((rule) => !index.cover(rule));
}

/** The smallest rules that say the same: one verb on one resource of one group, and at most one name; or on one path. */
export function breakdown(rule: PolicyRule): PolicyRule[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const small: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) small.push(one);
        for (const name of resourceNames) small.push({ ...one, resourceNames: [name] });
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) small.push({ verbs: [verb], nonResourceURLs: [url] });
  return small;
}

/** Rules by the resource that they are on: those who hold many are asked about each of many. */
class OwnedRules {
  readonly #onResource = new Map<string, PolicyRule[]>();
  readonly #onPaths: PolicyRule[] = [];

  constructor(rules: readonly PolicyRule[]) {
    for (const rule of rules) {
      if (rule.nonResourceURLs?.length) this.#onPaths.push(rule);
      for (const resource of new Set(rule.resources)) {
        const known = this.#onResource.get(resource);
        if (known) known.push(rule);
        else this.#onResource.set(resource, [rule]);
      }
    }
  }

  cover(small: PolicyRule): boolean {
    const [url] = small.nonResourceURLs ?? [];
    if (url !== undefined) return this.#onPaths.some((rule) => coversPath(rule, small, url));
    const [resource = ''] = small.resources ?? [];
    return namesFor(resource).some((name) => this.#onResource.get(name)?.some((rule) => coversOn(rule, small)));
  }
}

/** What a rule may call a resource that is to be covered. */
function namesFor(resource: string): string[] {
  const at = resource.indexOf('/');
  return [ALL, resource, ...(at < 0 ? [] : [`${ALL}${resource.slice(at)}`])];
}

function coversOn({ verbs, apiGroups, resourceNames = [] }: PolicyRule, small: PolicyRule): boolean {
  if (!includes(verbs, small.verbs) || !includes(apiGroups, small.apiGroups)) return false;
  const [name] = small.resourceNames ?? [];
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
}

/** A rule with names of resources says nothing of what has none. */
const coversPath = (
  { verbs, nonResourceURLs = [], resourceNames = [] }: PolicyRule,
  small: PolicyRule,
  url: string,
): boolean =>
  resourceNames.length === 0 &&
  includes(verbs, small.verbs) &&
  nonResourceURLs.some((pattern) => pathMatches(pattern, url));

const includes = (owned: readonly string[] = [], [wanted = '']: readonly string[] = []): boolean =>
  owned.includes(ALL) || owned.includes(wanted);
