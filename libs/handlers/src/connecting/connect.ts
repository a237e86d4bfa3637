import { badRequest, StatusError } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';
import type { RequestContext, ResourceCall } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import { logOptions, requirePorts } from './options.js';
import { resolveService } from './services.js';
import { agentOf, containerOf, coreObject, resolveNode, resolvePod } from './targets.js';

/** Why nothing that runs on a node is reached. */
const NOT_CONNECTED = 'this server does not connect to nodes';

/**
 * Handles GET of `pods/<name>/log`: an empty response for a pod without a node, else an error.
 * @throws StatusError 400, 404, 422, 500
 */
export async function podLog(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { container } = logOptions(ctx.query, call.name);
  const pod = (await coreObject(deps, 'pods', call.namespace, call.name)) as Pod;
  const chosen = containerOf(pod, container);
  const node = pod.spec?.nodeName ?? '';
  if (node === '') {
    ctx.res.writeHead(204, { 'Audit-Id': ctx.requestId, 'Cache-Control': 'no-cache, private' }).end();
    return;
  }
  const { host, port } = await agentOf(deps, node);
  const at = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const path = `/containerLogs/${call.namespace}/${call.name}/${chosen}`;
  throw new StatusError('InternalError', `Get ${JSON.stringify(at + path)}: ${NOT_CONNECTED}`);
}

/** `exec` and `attach` of a pod. @throws StatusError 400, 404, 500 */
export async function podStream(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  refuseDryRun(ctx);
  const pod = (await coreObject(deps, 'pods', call.namespace, call.name)) as Pod;
  containerOf(pod, ctx.query.get('container') ?? '');
  await dial(deps, pod);
}

/** `portforward` of a pod. @throws StatusError 400, 404, 500 */
export async function podPorts(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  refuseDryRun(ctx);
  requirePorts(ctx.query);
  await dial(deps, (await coreObject(deps, 'pods', call.namespace, call.name)) as Pod);
}

async function dial(deps: ApiDeps, { metadata, spec }: Pod): Promise<never> {
  if (!spec?.nodeName) throw badRequest(`pod ${metadata?.name} does not have a host assigned`);
  await agentOf(deps, spec.nodeName);
  throw new StatusError('InternalError', `error dialing backend: ${NOT_CONNECTED}`);
}

/** `proxy` of a node, a pod or a service, with any method. @throws StatusError 400, 404, 500, 503 */
export async function proxy(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
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
