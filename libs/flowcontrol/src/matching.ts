import type {
  FlowRequest,
  FlowRules,
  FlowSchema,
  FlowSubject,
  FlowUser,
  NonResourceRule,
  ResourcePolicyRule,
} from './configuration.js';

const ALL = '*';
const NONE: readonly never[] = [];
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/**
 * Whether a rule of a schema matches a request (k8s.io/apiserver, pkg/util/flowcontrol). Every request is compared with
 * some dozen schemas: loops make no garbage, closures do.
 */
export function fits({ rules }: Pick<FlowSchema, 'rules'>, user: FlowUser, request: FlowRequest): boolean {
  for (const rule of rules) if (anyIsMeant(rule.subjects, user) && isRuled(rule, request)) return true;
  return false;
}

function anyIsMeant(subjects: FlowRules['subjects'], user: FlowUser): boolean {
  for (const subject of subjects) if (isMeant(subject, user)) return true;
  return false;
}

function isRuled({ resourceRules, nonResourceRules }: FlowRules, request: FlowRequest): boolean {
  if (request.isResourceRequest) {
    for (const rule of resourceRules ?? NONE) if (resourceFits(rule, request)) return true;
    return false;
  }
  for (const rule of nonResourceRules ?? NONE) if (pathFits(rule, request)) return true;
  return false;
}

function isMeant({ kind, user, group, serviceAccount }: FlowSubject, { name, groups }: FlowUser): boolean {
  if (kind === 'User') return user != null && (user.name === ALL || user.name === name);
  if (kind === 'Group') return group != null && (group.name === ALL || groups.includes(group.name));
  if (kind !== 'ServiceAccount' || !serviceAccount) return false;
  const prefix = `${SERVICE_ACCOUNT}${serviceAccount.namespace}:`;
  return serviceAccount.name === ALL ? name.startsWith(prefix) : name === prefix + serviceAccount.name;
}

/** `*` matches everything only if it is alone, as validation requires. */
const holds = (list: readonly string[], value: string): boolean =>
  (list.length === 1 && list[0] === ALL) || list.includes(value);

function resourceFits(
  rule: ResourcePolicyRule,
  { verb, group, resource, subresource, namespace }: FlowRequest,
): boolean {
  return (
    holds(rule.verbs, verb) &&
    holds(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`) &&
    holds(rule.apiGroups, group) &&
    (namespace === '' ? rule.clusterScope === true : holds(rule.namespaces ?? NONE, namespace))
  );
}

function pathFits({ verbs, nonResourceURLs }: NonResourceRule, { verb, path }: FlowRequest): boolean {
  if (!holds(verbs, verb)) return false;
  return nonResourceURLs.some((url) => {
    if (url === ALL || url === path) return true;
    const prefix = url.endsWith('*') ? url.slice(0, -1) : url;
    return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
  });
}
