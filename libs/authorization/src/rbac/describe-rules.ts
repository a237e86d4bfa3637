import type { PolicyRule } from './policy-rule.js';

/**
 * Formats rules for a refusal, each once and in order: those on the same resource of one group, and of one name, are
 * joined to one with all of their verbs.
 */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  return [...new Set(compact(rules).map(describe))].sort();
}

function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const simple = new Map<string, { readonly rule: PolicyRule; readonly verbs: string[] }>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const key = simpleKey(rule);
    const known = key !== undefined && simple.get(key);
    const { verbs = [] } = rule;
    if (key === undefined) others.push(rule);
    else if (known) for (const verb of verbs) known.verbs.push(verb);
    else simple.set(key, { rule, verbs: [...verbs] });
  }
  return [...others, ...[...simple.values()].map(({ rule, verbs }) => ({ ...rule, verbs }))];
}

/**
 * Key that rules share which differ in their verbs alone; undefined for one on more than a single resource, and on
 * paths.
 */
function simpleKey({ apiGroups, resources, resourceNames = [], nonResourceURLs = [] }: PolicyRule): string | undefined {
  if (resourceNames.length > 1 || nonResourceURLs.length > 0) return undefined;
  if (apiGroups?.length !== 1 || resources?.length !== 1) return undefined;
  return JSON.stringify([apiGroups, resources, resourceNames]);
}

function describe({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ] as const;
  const described = parts.flatMap(([name, values]) => (values?.length ? [`${name}:${quotedList(values)}`] : []));
  return `{${described.join(', ')}}`;
}

/** Formats a list of texts as clients know it: `["a" "b"]`. */
export const quotedList = (texts: readonly string[]): string =>
  `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
