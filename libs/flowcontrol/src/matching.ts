import type {
  FlowRequest,
  FlowRules,
  FlowSchema,
  FlowSubject,
  FlowUser,
  NonResourceRule,
  ResourceRule,
} from './configuration.js';

const ALL = '*';
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/** Whether one of the rules of a schema fits a request (k8s.io/apiserver, pkg/util/flowcontrol). */
export const fits = ({ rules }: Pick<FlowSchema, 'rules'>, user: FlowUser, request: FlowRequest): boolean =>
  rules.some((rule) => ruleFits(rule, user, request));

function ruleFits(
  { subjects, resourceRules, nonResourceRules }: FlowRules,
  user: FlowUser,
  request: FlowRequest,
): boolean {
  if (!subjects.some((subject) => isMeant(subject, user))) return false;
  if (request.isResourceRequest) return (resourceRules ?? []).some((rule) => resourceFits(rule, request));
  return (nonResourceRules ?? []).some((rule) => pathFits(rule, request));
}

function isMeant({ kind, user, group, serviceAccount }: FlowSubject, { name, groups }: FlowUser): boolean {
  if (kind === 'User') return user != null && (user.name === ALL || user.name === name);
  if (kind === 'Group') return group != null && (group.name === ALL || groups.includes(group.name));
  if (kind !== 'ServiceAccount' || !serviceAccount) return false;
  const prefix = `${SERVICE_ACCOUNT}${serviceAccount.namespace}:`;
  return serviceAccount.name === ALL ? name.startsWith(prefix) : name === prefix + serviceAccount.name;
}

/** `*` stands for everything only where it stands alone, as validation asks for. */
const holds = (list: readonly string[], value: string): boolean =>
  (list.length === 1 && list[0] === ALL) || list.includes(value);

function resourceFits(rule: ResourceRule, { verb, group, resource, subresource, namespace }: FlowRequest): boolean {
  return (
    holds(rule.verbs, verb) &&
    holds(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`) &&
    holds(rule.apiGroups, group) &&
    (namespace === '' ? rule.clusterScope === true : holds(rule.namespaces ?? [], namespace))
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
