import { badRequest, StatusError } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';
import type { RequestContext, ResourceCall } from '@orch/serving';
import type { VerbDeps } from '../deps.js';
import { logOptions, requirePorts } from './options.js';
import { resolveService } from './services.js';
import { agentOf, containerOf, coreObject, resolveNode, resolvePod } from './targets.js';

/** Why nothing that runs on a node is reached. */
const NOT_CONNECTED = 'this server does not connect to nodes';

/**
 * Handles GET of `pods/<name>/log`: the log as the agent of the pod's node sends it, an empty response for a pod
 * without a node.
 * @throws StatusError 400, 404, 422, 500; that of the agent
 */
export async function podLog(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { container, insecure, query } = logOptions(ctx.query, call.name);
  const pod = (await coreObject(deps, 'pods', call.namespace, call.name)) as Pod;
  const chosen = containerOf(pod, container);
  const node = pod.spec?.nodeName ?? '';
  if (node === '') {
    ctx.res.writeHead(204, { 'Audit-Id': ctx.requestId, 'Cache-Control': 'no-cache, private' }).end();
    return;
  }
  const path = `/containerLogs/${call.namespace}/${call.name}/${chosen}${query}`;
  const serves = insecure ? 'unverified-agent' : 'agent';
  const backend = { ...(await agentOf(deps, node)), serves, secure: true, path } as const;
  await deps.connections.log(ctx, backend, { resource: 'pods/log', name: call.name });
}

/** `exec` and `attach` of a pod. @throws StatusError 400, 404, 500 */
export async function podStream(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  refuseDryRun(ctx);
  const pod = (await coreObject(deps, 'pods', call.namespace, call.name)) as Pod;
  containerOf(pod, ctx.query.get('container') ?? '');
  await dial(deps, pod);
}

/** `portforward` of a pod. @throws StatusError 400, 404, 500 */
export async function podPorts(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  refuseDryRun(ctx);
  requirePorts(ctx.query);
  await dial(deps, (await coreObject(deps, 'pods', call.namespace, call.name)) as Pod);
}

async function dial(deps: VerbDeps, { metadata, spec }: Pod): Promise<never> {
  if (!spec?.nodeName) throw badRequest(`pod ${metadata?.name} does not have a host assigned`);
  await agentOf(deps, spec.nodeName);
  throw new StatusError('InternalError', `error dialing backend: ${NOT_CONNECTED}`);
}

/** `proxy` of a node, a pod or a service, with any method. @throws StatusError 400, 404, 500, 503 */
export async function proxy(deps: VerbDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  refuseDryRun(ctx);
  const { endpoint, namespace, name } = call;
  switch (endpoint.definition.resource) {
    case 'nodes':
      await resolveNode(deps, name);
      break;
    case 'pods':
      await resolvePod(deps, namespace, name);
      break;
    default:
      await resolveService(deps, namespace, name);
  }
  throw new StatusError('ServiceUnavailable', `error trying to reach service: ${NOT_CONNECTED}`);
}

function refuseDryRun({ query }: RequestContext): void {
  if (query.has('dryRun')) throw badRequest('dryRun is not supported');
}
