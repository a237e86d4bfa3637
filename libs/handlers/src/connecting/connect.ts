import { type ApiObject, badRequest } from '@orch/machinery';
import { DeclaredModel } from '@orch/resources';
import type { Pod, PodExecOptions, PodPortForwardOptions, PodProxyOptions } from '@orch/schema/types/core/v1';
import type { RequestContext, ResourceCall } from '@orch/serving';
import { admitConnection } from '../bodies/sent-object.js';
import type { VerbDeps } from '../deps.js';
import type { NodeBackend, PodSession } from './connections.js';
import { agentQuery, connectionOptions, logOptions } from './options.js';
import { proxiedPath, splitQuery } from './proxied-path.js';
import { servicePlace } from './services.js';
import { agentOf, type BackendPlace, containerOf, coreObject, nodePlace, podPlace } from './targets.js';

/**
 * Handles GET of `pods/<name>/log`: the log as the agent of the pod's node sends it, an empty response for a pod
 * without a node.
 * @throws StatusError 400, 404, 422, 500; that of the agent
 */
export async function podLog(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const backend = await logBackend(deps, ctx, call);
  if (backend) return deps.connections.log(ctx, backend, { resource: 'pods/log', name: call.name });
  ctx.res.writeHead(204, { 'Audit-Id': ctx.requestId, 'Cache-Control': 'no-cache, private' }).end();
}

// Functions that look pods up end before the connection begins: for hours, it would keep what their variables hold.

async function logBackend(deps: VerbDeps, { query: sent }: RequestContext, { namespace, name }: ResourceCall) {
  const { container, insecure, query } = logOptions(sent, name);
  const pod = (await coreObject(deps, 'pods', namespace, name)) as Pod;
  const path = `/containerLogs/${namespace}/${name}/${containerOf(pod, container)}${query}`;
  const node = pod.spec?.nodeName ?? '';
  if (node === '') return undefined;
  return backendOf(await agentOf(deps, node), insecure ? 'unverified-agent' : 'agent', path);
}

type Agent = Pick<NodeBackend, 'host' | 'port'>;
const backendOf = ({ host, port }: Agent, serves: NodeBackend['serves'], path: string): NodeBackend => ({
  ...{ host, port, serves, path },
  secure: true,
});

/** `exec` and `attach` of a pod. @throws StatusError 400, 404, 500; that of an admission plugin */
export async function podStream(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const options = (await admittedOptions(deps, ctx, call)) as PodExecOptions;
  const { stdin = false, stdout = false, stderr = false, tty = false } = options;
  const backend = await sessionBackend(deps, call, (pod) => {
    const place = `${call.namespace}/${call.name}/${containerOf(pod, options.container ?? '')}`;
    return `/${call.subresource}/${place}${agentQuery(options)}`;
  });
  await upgrade(deps, ctx, backend, { stdin, stdout, stderr, tty });
}

/** `portforward` of a pod. @throws StatusError 400, 404, 500; that of an admission plugin */
export async function podPorts(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const options = (await admittedOptions(deps, ctx, call)) as PodPortForwardOptions;
  const path = `/portForward/${call.namespace}/${call.name}${agentQuery(options)}`;
  await upgrade(deps, ctx, await sessionBackend(deps, call, () => path), 'ports');
}

/**
 * Finds the agent of a pod.
 * @param pathOf path and query of the request to it
 * @throws StatusError 400, 404, 500
 */
async function sessionBackend(
  deps: VerbDeps,
  { namespace, name }: ResourceCall,
  pathOf: (pod: Pod) => string,
): Promise<NodeBackend> {
  const pod = (await coreObject(deps, 'pods', namespace, name)) as Pod;
  const path = pathOf(pod);
  const { metadata, spec } = pod;
  if (!spec?.nodeName) throw badRequest(`pod ${metadata?.name} does not have a host assigned`);
  return backendOf(await agentOf(deps, spec.nodeName), 'agent', path);
}

/** Connects the client to the agent of a pod. @throws StatusError 400 */
async function upgrade(deps: VerbDeps, ctx: RequestContext, backend: NodeBackend, session: PodSession): Promise<void> {
  if (!ctx.upgrade) throw badRequest('Upgrade request required');
  await deps.connections.upgrade(ctx, ctx.upgrade, backend, session);
}

/**
 * Reads the options of a connection, and has them admitted.
 * @returns the options as admission has left them
 * @throws StatusError 400 for options that cannot be read, and for a dry run; that of an admission plugin
 */
async function admittedOptions(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<ApiObject> {
  refuseDryRun(ctx);
  const { subresources } = call.endpoint.definition;
  const kind = subresources.find(({ name }) => name === call.subresource)?.kind ?? '';
  const object = connectionOptions(kind, ctx);
  const model = new DeclaredModel({ group: '', version: 'v1', kind }, deps.scheme.struct(`core/v1.${kind}`));
  return admitConnection(deps, ctx, call, { object, model });
}

/** `proxy` of a node, a pod or a service, with any method. @throws StatusError 400, 404, 500, 503 */
export async function proxy(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const options = (await admittedOptions(deps, ctx, call)) as PodProxyOptions;
  const place = await placeOf(deps, ctx, call);
  const path = proxiedPath(options.path ?? '', ctx.path);
  const [, query] = splitQuery(ctx.req.url ?? '');
  const backend = { ...place, path: `${path || '/'}${query}` };
  if (ctx.upgrade) return deps.connections.upgrade(ctx, ctx.upgrade, backend);
  if (path === '' && READS.has(ctx.req.method ?? '')) return redirectInside(ctx, query);
  await deps.connections.proxy(ctx, backend, prefixOf(ctx, call));
}

/** Finds the server that requests for an object are passed on to. @throws StatusError 400, 404, 500, 503 */
function placeOf(
  deps: VerbDeps,
  ctx: RequestContext,
  { endpoint, namespace, name }: ResourceCall,
): Promise<BackendPlace> {
  switch (endpoint.definition.resource) {
    case 'nodes':
      return nodePlace(deps, name);
    case 'pods':
      return podPlace(deps, namespace, name);
    default:
      return servicePlace(deps, ctx, namespace, name);
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Sends a browser to the path with a slash at its end, which relative links of a page are below. */
function redirectInside({ res, path, requestId }: RequestContext, query: string): void {
  const headers = { 'Audit-Id': requestId, 'Cache-Control': 'no-cache, private', Location: `${path}/${query}` };
  res.writeHead(301, headers).end();
}

/** Path of the proxy itself: `/api/v1/namespaces/<ns>/pods/<name>/proxy`. */
const prefixOf = ({ path }: RequestContext, { namespace }: ResourceCall): string =>
  path
    .split('/')
    .slice(0, namespace === '' ? CLUSTER_SEGMENTS : NAMESPACE_SEGMENTS)
    .join('/');

/** Segments of the path of a proxy in no namespace, and in one, the empty one in front included. */
const [CLUSTER_SEGMENTS, NAMESPACE_SEGMENTS] = [6, 8];

function refuseDryRun({ query }: RequestContext): void {
  if (query.has('dryRun')) throw badRequest('dryRun is not supported');
}
