import { ALL, type PolicyRule, pathMatches, withNamesTogether } from './policy-rule.js';

/** Thrown when there are more of the smallest rules than the limit for comparisons. */
export class TooManyRulesError extends Error {}

/**
 * Limit of comparison steps, some 100 ms in all: nothing else runs meanwhile, and holders of many rules may want many.
 */
const MOST_STEPS = 1_000_000;
/** Steps of preparing a rule for comparisons. */
const INDEX_STEPS = 20;

/**
 * Returns the wanted rules that others do not cover: every rule is broken down to its smallest ones, and each of these
 * must be covered by a single rule (component-helpers v0.27.16, auth/rbac/validation).
 * @param most limit of the smallest rules of those that are not covered as a whole; their number is a product. With a
 * limit, the number of comparisons is limited too
 * @throws TooManyRulesError
 */
export function uncovered(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  most = Number.POSITIVE_INFINITY,
): PolicyRule[] {
  const index = new OwnedRules(onResourcesOf(wanted, owned), most === Number.POSITIVE_INFINITY ? most : MOST_STEPS);
  const apart = wanted.filter((rule) => !index.coverWhole(rule));
  if (apart.reduce((sum, rule) => sum + countOf(rule), 0) > most) throw new TooManyRulesError();
  return apart.flatMap(breakdown).filter((rule) => !index.coverWhole(rule));
}

/**
 * Returns the smallest equivalent rules: one verb on one resource of one group, and at most one name; or on one path.
 */
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

function countOf(rule: PolicyRule): number {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const onResources = apiGroups.length * resources.length * Math.max(resourceNames.length, 1);
  return verbs.length * (onResources + nonResourceURLs.length);
}

/** An owned rule; undefined matches all. */
interface OwnedRule {
  readonly verbs: ReadonlySet<string> | undefined;
  readonly groups: ReadonlySet<string> | undefined;
  readonly resources: ReadonlySet<string> | undefined;
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  /** Paths that are patterns. */
  readonly patterns: readonly string[];
}

/** Returns the owned rules that may cover wanted ones, and those on paths. */
function onResourcesOf(wanted: readonly PolicyRule[], owned: readonly PolicyRule[]): PolicyRule[] {
  const names = new Set([ALL, ...wanted.flatMap(({ resources = [] }) => resources.flatMap(namesFor))]);
  return owned.filter(
    ({ resources = [], nonResourceURLs = [] }) =>
      nonResourceURLs.length > 0 || resources.some((resource) => names.has(resource)),
  );
}

/** Owned rules by their resources, as holders of many may want many. */
class OwnedRules {
  readonly #onResource = new Map<string, OwnedRule[]>();
  readonly #onPaths: OwnedRule[] = [];

  #stepsLeft: number;

  /** @throws TooManyRulesError, as do all methods */
  constructor(rules: readonly PolicyRule[], mostSteps: number) {
    this.#stepsLeft = mostSteps;
    this.#spend(INDEX_STEPS * rules.length);
    for (const rule of withNamesTogether(rules)) {
      const owned = ownedRule(rule);
      if (owned.paths.size > 0) this.#onPaths.push(owned);
      for (const resource of new Set(rule.resources)) {
        const known = this.#onResource.get(resource);
        if (known) known.push(owned);
        else this.#onResource.set(resource, [owned]);
      }
    }
  }

  /**
   * Whether one rule covers another completely. One on both resources and paths, which no role may have, is never
   * covered so.
   */
  coverWhole(rule: PolicyRule): boolean {
    const { resources = [], nonResourceURLs = [] } = rule;
    if (nonResourceURLs.length > 0)
      return (
        resources.length === 0 &&
        this.#onPaths.some((held) => {
          this.#spend(1 + held.patterns.length * nonResourceURLs.length);
          return coversPaths(held, rule);
        })
      );
    return namesFor(resources[0] ?? '').some((name) =>
      this.#onResource.get(name)?.some((held) => {
        this.#spend(1);
        return covers(held, rule);
      }),
    );
  }

  #spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new TooManyRulesError();
  }
}

function ownedRule(rule: PolicyRule): OwnedRule {
  const setOf = (values: readonly string[] = []) => (values.includes(ALL) ? undefined : new Set(values));
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs = [] } = rule;
  return {
    verbs: setOf(verbs),
    groups: setOf(apiGroups),
    resources: setOf(resources),
    names: new Set(resourceNames),
    paths: new Set(nonResourceURLs),
    patterns: nonResourceURLs.filter((url) => url.endsWith(ALL)),
  };
}

/** Names by which a rule may cover a resource. */
function namesFor(resource: string): string[] {
  const at = resource.indexOf('/');
  return [ALL, resource, ...(at < 0 ? [] : [`${ALL}${resource.slice(at)}`])];
}

function covers({ verbs, groups, resources, names }: OwnedRule, rule: PolicyRule): boolean {
  if (!holds(verbs, rule.verbs) || !holds(groups, rule.apiGroups)) return false;
  const { resourceNames = [] } = rule;
  if (names.size > 0 && (resourceNames.length === 0 || !holds(names, resourceNames))) return false;
  return (
    resources === undefined ||
    (rule.resources ?? []).every((each) => namesFor(each).some((name) => resources.has(name)))
  );
}

/** A rule with resource names does not apply to requests without a name. */
function coversPaths(
  { verbs, names, paths, patterns }: OwnedRule,
  { verbs: wanted, nonResourceURLs = [] }: PolicyRule,
): boolean {
  if (names.size > 0 || !holds(verbs, wanted)) return false;
  return nonResourceURLs.every((url) => paths.has(url) || patterns.some((pattern) => pathMatches(pattern, url)));
}

const holds = (set: ReadonlySet<string> | undefined, values: readonly string[] = []): boolean =>
  set === undefined || values.every((value) => set.has(value));
