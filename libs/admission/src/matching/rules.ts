import type { Target } from '../attributes.js';

/**
 * A rule that selects requests, as in `rules` of webhooks and `resourceRules` of policies; an absent list matches
 * nothing.
 */
export interface Rule {
  /** Operations: `CREATE`, `UPDATE`, `DELETE`, `CONNECT`, or `*`. */
  readonly operations?: readonly string[];
  /** Groups: '' for the core group, or `*`. */
  readonly apiGroups?: readonly string[];
  /** Versions: `v1`, or `*`. */
  readonly apiVersions?: readonly string[];
  /** Resources: `pods`, `pods/status`; `*` on either side of the slash matches anything. */
  readonly resources?: readonly string[];
  /** `Cluster`, `Namespaced` or `*`; absent for any scope. */
  readonly scope?: string;
  /** Names of objects; absent or empty for any name. Only policies have it. */
  readonly resourceNames?: readonly string[];
}

/** A resource in one version. */
export interface ResourceVersion {
  /** '' for the core group. */
  readonly group: string;
  /** Without the group: `v1`. */
  readonly version: string;
  /** Plural: `pods`. */
  readonly resource: string;
}

/** The part of a target that rules look at. */
type RuleTarget = Pick<Target, 'subresource' | 'namespace'> & { readonly operation: string } & ResourceVersion;

/** Returns whether a rule matches objects of a name. */
export const nameMatches = ({ resourceNames = [] }: Rule, name: string): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name);

/**
 * Returns whether a rule matches a request, regardless of the names of objects (k8s.io/apiserver,
 * pkg/admission/plugin/webhook/predicates/rules).
 * @param as the resource that is matched in place of the requested one
 */
export function ruleMatches(rule: Rule, target: RuleTarget, as: ResourceVersion = target): boolean {
  return (
    inScope(rule.scope, target, as) &&
    named(rule.operations, target.operation) &&
    named(rule.apiGroups, as.group) &&
    named(rule.apiVersions, as.version) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, as.resource, target.subresource))
  );
}

const named = (names: readonly string[] | undefined, name: string): boolean =>
  names !== undefined && (names.includes('*') || names.includes(name));

/**
 * Returns whether a resource is in scope. A Namespace is cluster-scoped, though its request carries a namespace: its
 * own name.
 */
function inScope(scope: string | undefined, { namespace }: RuleTarget, as: ResourceVersion): boolean {
  if (scope === undefined || scope === '*') return true;
  const isNamespace = as.group === '' && as.version === 'v1' && as.resource === 'namespaces';
  const isNamespaced = !isNamespace && namespace !== '';
  if (scope === 'Namespaced') return isNamespaced;
  return scope === 'Cluster' && !isNamespaced;
}

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const [name, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (name === '*' || name === resource) && (sub === '*' || sub === subresource);
}

/**
 * Resources that configure webhooks and policies. These are never consulted about them: otherwise one that refuses
 * everything could not be removed.
 */
const EXEMPT: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]);

/**
 * Returns whether webhooks and policies are never consulted about a resource.
 * @param group of those configurations in this installation
 */
export const isExempt = (target: ResourceVersion, group: string): boolean =>
  target.group === group && EXEMPT.has(target.resource);
