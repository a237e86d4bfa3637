import type { AuditLevel, AuditStage, GroupResources, Policy, PolicyRule } from './policy.js';

/** The parts of a request that a policy uses; attributes for authorizers have them too. */
export interface AuditedRequest {
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** User of a request; undefined if authentication failed. */
interface AuditedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Recording rules for a request. Shared by all requests of a rule. */
export interface AuditConfig {
  /** Level of the record. */
  readonly level: AuditLevel;
  /** Stages that are not recorded. */
  readonly omitStages: ReadonlySet<AuditStage>;
  /** Whether bodies are recorded without `metadata.managedFields`. */
  readonly omitManagedFields: boolean;
}

type Matches = (user: AuditedUser | undefined, request: AuditedRequest) => boolean;

/** Evaluates a policy; the first matching rule applies, and without one nothing is recorded. */
export class PolicyEvaluator {
  readonly #rules: readonly { readonly matches: Matches; readonly config: AuditConfig }[];
  readonly #otherwise: AuditConfig;

  /** @param policy a valid one */
  constructor({ rules = [], omitStages = [], omitManagedFields = false }: Policy) {
    this.#rules = rules.map((rule) => ({
      matches: matcherOf(rule),
      config: {
        level: (rule.level ?? '') as AuditLevel,
        omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])] as AuditStage[]),
        omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
      },
    }));
    this.#otherwise = { level: 'None', omitStages: new Set(omitStages as AuditStage[]), omitManagedFields };
  }

  /** Returns the recording rules for a request. @param user undefined if it is unknown */
  evaluate(user: AuditedUser | undefined, request: AuditedRequest): AuditConfig {
    for (const { matches, config } of this.#rules) if (matches(user, request)) return config;
    return this.#otherwise;
  }
}

/** Empty lists match everything. */
function matcherOf(rule: PolicyRule): Matches {
  const conditions: Matches[] = [];
  const { users = [], userGroups = [], verbs = [], resources = [], namespaces = [], nonResourceURLs = [] } = rule;
  if (users.length > 0) {
    const names = new Set(users);
    conditions.push((user) => user !== undefined && names.has(user.name));
  }
  if (userGroups.length > 0) {
    const groups = new Set(userGroups);
    conditions.push((user) => user?.groups.some((group) => groups.has(group)) ?? false);
  }
  if (verbs.length > 0) conditions.push((_user, { verb }) => verbs.includes(verb));
  if (namespaces.length > 0 || resources.length > 0) conditions.push(resourceMatcher(namespaces, resources));
  else if (nonResourceURLs.length > 0)
    conditions.push(
      (_user, { isResourceRequest, path }) =>
        !isResourceRequest && nonResourceURLs.some((pattern) => pathMatches(path, pattern)),
    );
  return (user, request) => conditions.every((holds) => holds(user, request));
}

function resourceMatcher(namespaces: readonly string[], resources: readonly GroupResources[]): Matches {
  return (_user, request) =>
    request.isResourceRequest &&
    (namespaces.length === 0 || namespaces.includes(request.namespace)) &&
    (resources.length === 0 || resources.some((each) => covers(each, request)));
}

function covers({ group = '', resources = [], resourceNames = [] }: GroupResources, request: AuditedRequest): boolean {
  if (group !== request.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(request.name)) return false;
  return resources.some((pattern) => resourceMatches(pattern, request));
}

/** `pods/*` matches pods too, and `*` subresources. */
function resourceMatches(pattern: string, { resource, subresource }: AuditedRequest): boolean {
  if (pattern === '*' || pattern === `${resource}/*`) return true;
  if (subresource === '') return pattern === resource;
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}

const pathMatches = (path: string, pattern: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
