import type { UserInfo } from '@orch/authentication';
import type { Names } from '@orch/machinery';
import { ALLOW, type Authorizer, type Decision, NO_OPINION, type RequestAttributes } from '../authorizer.js';
import { CompiledRules, type PolicyRule } from '../rbac/policy-rule.js';
import type { NodeGraph } from './node-graph.js';
import type { ReferencedKind } from './node-references.js';

/** Inputs of the node authorizer. */
export interface NodeAuthorizerOptions {
  /** Names of the groups of resources. */
  readonly names: Names;
  /** Rights of every node that do not depend on the object: those of the role `system:node`. */
  readonly rules: readonly PolicyRule[];
  /** Objects that each node needs; loaded on a node's first request that depends on the object. */
  readonly graph: () => Promise<NodeGraph>;
}

const PREFIX = 'system:node:';
const NODES = 'system:nodes';
/** Namespace of the leases that are the nodes' heartbeats. */
const LEASES = 'kube-node-lease';

/** Returns the name of the node of a user; empty for one without a name, undefined for another user. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(PREFIX) && groups.includes(NODES) ? name.slice(PREFIX.length) : undefined;
}

/** Decides on requests of a node for one resource. */
type NodeRule = (node: string, request: RequestAttributes) => Decision | Promise<Decision>;

/**
 * Allows nodes what they need for the pods that are on them, and other users nothing (mode `Node`; must agree with
 * kubernetes v1.27.16, plugin/pkg/auth/authorizer/node).
 */
export function nodeAuthorizer({ names, rules, graph }: NodeAuthorizerOptions): Authorizer {
  const compiled = new CompiledRules(rules);
  const judges = rulesOf(names, graph);
  return {
    async authorize(user, request) {
      const node = nodeOf(user);
      if (node === undefined) return NO_OPINION;
      if (node === '') return refused(`unknown node for user ${JSON.stringify(user.name)}`);
      const judge = request.isResourceRequest && judges.get(`${request.group}/${request.resource}`);
      if (judge) return judge(node, request);
      return compiled.allow(request) ? ALLOW : NO_OPINION;
    },
    async rulesFor(user) {
      const isNode = nodeOf(user) !== undefined;
      const problems = isNode ? ['node authorizer does not support user rule resolution'] : [];
      return { resourceRules: [], pathRules: [], incomplete: isNode, problems };
    },
  };
}

const refused = (reason: string): Decision => ({ decision: 'no-opinion', reason });

function rulesOf(names: Names, graph: NodeAuthorizerOptions['graph']): ReadonlyMap<string, NodeRule> {
  const storage = names.group('storage.orch.io');
  return new Map<string, NodeRule>([
    ['/secrets', reading('secret', graph)],
    ['/configmaps', reading('configmap', graph)],
    ['/persistentvolumeclaims', claims(graph)],
    ['/persistentvolumes', getting(async (node, { name }) => (await graph()).needsVolume(node, name))],
    [`${storage}/volumeattachments`, getting(async (node, { name }) => (await graph()).isAttached(node, name))],
    ['/serviceaccounts', tokens(graph)],
    [`${names.group('coordination.orch.io')}/leases`, lease],
    [`${storage}/csinodes`, csiNode],
  ]);
}

type Related = (node: string, request: RequestAttributes) => Promise<boolean>;

async function byRelation(node: string, request: RequestAttributes, related: Related): Promise<Decision> {
  if (request.name === '') return refused('No Object name found');
  if (await related(node, request)) return ALLOW;
  return refused(`no relationship found between node '${node}' and this object`);
}

const needs =
  (kind: ReferencedKind, graph: NodeAuthorizerOptions['graph']): Related =>
  async (node, { namespace, name }) =>
    (await graph()).needs(node, kind, namespace, name);

function reading(kind: ReferencedKind, graph: NodeAuthorizerOptions['graph']): NodeRule {
  const related = needs(kind, graph);
  return (node, request) => {
    if (!['get', 'list', 'watch'].includes(request.verb)) return refused('can only read resources of this type');
    if (request.subresource !== '') return refused('cannot read subresource');
    if (request.namespace === '') return refused('can only read namespaced object of this type');
    return byRelation(node, request, related);
  };
}

function getting(related: Related): NodeRule {
  return (node, request) => {
    if (request.verb !== 'get') return refused('can only get individual resources of this type');
    if (request.subresource !== '') return refused('cannot get subresource');
    return byRelation(node, request, related);
  };
}

function claims(graph: NodeAuthorizerOptions['graph']): NodeRule {
  const related = needs('persistentvolumeclaim', graph);
  const get = getting(related);
  return (node, request) => {
    if (request.subresource !== 'status') return get(node, request);
    if (request.verb === 'update' || request.verb === 'patch') return byRelation(node, request, related);
    return refused('can only get/update/patch this type');
  };
}

function tokens(graph: NodeAuthorizerOptions['graph']): NodeRule {
  const related = needs('serviceaccount', graph);
  return (node, request) => {
    if (request.verb !== 'create' || request.name === '')
      return refused('can only create tokens for individual service accounts');
    if (request.subresource !== 'token') return refused('can only create token subresource of serviceaccount');
    return byRelation(node, request, related);
  };
}

const OWN_VERBS: readonly string[] = ['get', 'create', 'update', 'patch', 'delete'];
const LISTED = 'can only get, create, update, patch, or delete';

/** Whether an object is the node's own; the name of a created one is not known. */
const isOwn = (node: string, { verb, name }: RequestAttributes): boolean => verb === 'create' || name === node;

const lease: NodeRule = (node, request) => {
  if (!OWN_VERBS.includes(request.verb)) return refused(`${LISTED} a node lease`);
  if (request.namespace !== LEASES) return refused(`can only access leases in the "${LEASES}" system namespace`);
  if (!isOwn(node, request)) return refused('can only access node lease with the same name as the requesting node');
  return ALLOW;
};

const csiNode: NodeRule = (node, request) => {
  if (!OWN_VERBS.includes(request.verb)) return refused(`${LISTED} a CSINode`);
  if (request.subresource !== '') return refused('cannot authorize CSINode subresources');
  if (!isOwn(node, request)) return refused('can only access CSINode with the same name as the requesting node');
  return ALLOW;
};
