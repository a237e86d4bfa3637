import type { Target } from '../attributes.js';

/** Which requests are meant, as `rules` of webhooks and `resourceRules` of policies say it; absent members mean nothing. */
export interface Rule {
  /** `CREATE`, `UPDATE`, `DELETE`, `CONNECT`, or `*`. */
  readonly operations?: readonly string[];
  /** '' for the core group, or `*`. */
  readonly apiGroups?: readonly string[];
  /** `v1`, or `*`. */
  readonly apiVersions?: readonly string[];
  /** `pods`, `pods/status`; a star on either side of the slash stands for any. */
  readonly resources?: readonly string[];
  /** Absent: wherever. */
  readonly scope?: string;
  /** Names of objects; absent or empty: whatever they are called. Of policies only. */
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

/** What rules look at. */
type RuleTarget = Pick<Target, 'subresource' | 'namespace'> & { readonly operation: string } & ResourceVersion;

/** Whether a rule means objects of a name. */
export const nameMatches = ({ resourceNames = [] }: Rule, name: string): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name);

/**
 * Whether a rule means a request, whatever the names of objects (k8s.io/apiserver, pkg/admission/plugin/webhook/predicates/rules).
 * @param as the resource that is looked at in place of the one that is asked for
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

/** A Namespace object lies outside of namespaces, though it has the namespace of its name. */
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

/** Kinds that decide who is asked: nobody is asked about them, or nobody could be stopped from refusing to be removed. */
const EXEMPT: ReadonlySet<string> = new Set([
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]);

/** Whether webhooks and policies are never asked about it. @param group of those configurations in this installation */
export const isExempt = (target: ResourceVersion, group: string): boolean =>
  target.group === group && EXEMPT.has(target.resource);
