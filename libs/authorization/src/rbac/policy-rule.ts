import type { RequestAttributes } from '../authorizer.js';

/** A rule of a role as clients write it: verbs on resources, or on paths. Absent fields count as empty. */
export interface PolicyRule {
  /** `get`, `list`, …; `*` for all. */
  readonly verbs?: readonly string[];
  /** `''` for the core group; `*` for all. */
  readonly apiGroups?: readonly string[];
  /**
   * `pods`, or `pods/log` for a subresource, with `*` before the slash for that of all resources; `*` alone for all,
   * subresources too.
   */
  readonly resources?: readonly string[];
  /** Empty for all, including requests without a name. */
  readonly resourceNames?: readonly string[];
  /** Paths; `*` at the end matches any rest. */
  readonly nonResourceURLs?: readonly string[];
}

/** Wildcard for all verbs, groups, resources or paths. */
export const ALL = '*';

/** Whether a path matches a pattern: `*` at the end matches any rest. */
export const pathMatches = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, '')));

/** Returns equivalent rules, joining those that differ only in their resource names. */
export function withNamesTogether(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const together = new Map<string, { readonly rule: PolicyRule; names: string[] | undefined }>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const { verbs, apiGroups, resources, resourceNames = [], nonResourceURLs = [] } = rule;
    if (nonResourceURLs.length > 0) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([verbs, apiGroups, resources]);
    const known = together.get(key);
    if (!known) together.set(key, { rule, names: resourceNames.length > 0 ? [...resourceNames] : undefined });
    else if (resourceNames.length === 0) known.names = undefined;
    else if (known.names) for (const name of resourceNames) known.names.push(name);
  }
  for (const { rule, names } of together.values()) others.push({ ...rule, resourceNames: names ?? [] });
  return others;
}

/** A rule prepared for many requests. */
interface CompiledRule {
  readonly verbs: ReadonlySet<string> | undefined;
  readonly groups: ReadonlySet<string> | undefined;
  readonly names: ReadonlySet<string> | undefined;
}

interface PathRules {
  readonly verbs: ReadonlySet<string> | undefined;
  readonly patterns: readonly string[];
}

/** Undefined for all values. */
const setOf = (values: readonly string[] = []): ReadonlySet<string> | undefined =>
  values.includes(ALL) ? undefined : new Set(values);

const has = (set: ReadonlySet<string> | undefined, value: string): boolean => set === undefined || set.has(value);

/** The rules of a role, indexed by resource: a check costs only the rules on it. */
export class CompiledRules {
  readonly #onResource = new Map<string, CompiledRule[]>();
  readonly #onPaths: PathRules[] = [];

  constructor(rules: readonly PolicyRule[]) {
    for (const { verbs, nonResourceURLs: patterns } of rules) {
      if (patterns?.length) this.#onPaths.push({ verbs: setOf(verbs), patterns });
    }
    for (const [rule, resources] of withResourcesTogether(withNamesTogether(rules))) this.#add(rule, resources);
  }

  /** Whether one of the rules allows the request. */
  allow(request: RequestAttributes): boolean {
    const { isResourceRequest, verb, path, resource, subresource } = request;
    if (!isResourceRequest) {
      return this.#onPaths.some(
        ({ verbs, patterns }) => has(verbs, verb) && patterns.some((of) => pathMatches(of, path)),
      );
    }
    if (this.#onResource.size === 0) return false;
    if (allows(this.#onResource.get(ALL), request)) return true;
    if (subresource === '') return allows(this.#onResource.get(resource), request);
    return (
      allows(this.#onResource.get(`${resource}/${subresource}`), request) ||
      allows(this.#onResource.get(`${ALL}/${subresource}`), request)
    );
  }

  #add({ verbs, apiGroups, resourceNames = [] }: PolicyRule, resources: Iterable<string>): void {
    const names = resourceNames.length > 0 ? new Set(resourceNames) : undefined;
    const compiled = { verbs: setOf(verbs), groups: setOf(apiGroups), names };
    for (const resource of resources) {
      const known = this.#onResource.get(resource);
      if (known) known.push(compiled);
      else this.#onResource.set(resource, [compiled]);
    }
  }
}

/** Rules with their resources: those equal for all names are one, so that each resource has it only once. */
function withResourcesTogether(rules: readonly PolicyRule[]): Iterable<readonly [PolicyRule, ReadonlySet<string>]> {
  const together = new Map<unknown, readonly [PolicyRule, Set<string>]>();
  for (const rule of rules) {
    const { verbs, apiGroups, resources = [], resourceNames } = rule;
    const key = resourceNames?.length ? rule : JSON.stringify([verbs, apiGroups]);
    const [, known] = together.get(key) ?? [];
    if (!known) together.set(key, [rule, new Set(resources)]);
    else for (const resource of resources) known.add(resource);
  }
  return together.values();
}

function allows(rules: readonly CompiledRule[] | undefined, { verb, group, name }: RequestAttributes): boolean {
  if (rules) {
    for (const rule of rules)
      if (has(rule.verbs, verb) && has(rule.groups, group) && has(rule.names, name)) return true;
  }
  return false;
}
