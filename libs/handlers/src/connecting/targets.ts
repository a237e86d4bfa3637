import { type ApiObject, badRequest } from '@orch/machinery';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import type { ApiDeps, VerbDeps } from '../deps.js';
import { endpointOf, otherObject } from '../subresources/other-objects.js';
import { requireRoutable } from './addresses.js';
import { unexplained } from './connections.js';

/** An object of the core group. @throws StatusError 404 */
export const coreObject = (deps: ApiDeps, resource: string, namespace: string, name: string): Promise<ApiObject> =>
  otherObject(deps, endpointOf(deps, '', resource), namespace, name);

/**
 * The container that is meant: the one that is named, else the only one.
 * @throws StatusError 400 where none or several could be meant, and for one that the pod does not have
 */
export function containerOf(pod: Pod, named: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name = '' }) => name);
  const of = pod.metadata?.name ?? '';
  if (named !== '') {
    if (names.includes(named)) return named;
    throw badRequest(`container ${named} is not valid for pod ${of}`);
  }
  const [only, ...others] = containers;
  if (only && others.length === 0) return only.name ?? '';
  const choice = only ? `, choose one of: [${names.join(' ')}]` : '';
  throw badRequest(`a container name must be specified for pod ${of}${choice}`);
}

const DEFAULT_PORT = 10_250;

/** Host and port of the agent on a node. @throws StatusError 404; 500 for a node without an address */
export async function agentOf(deps: VerbDeps, name: string): Promise<{ host: string; port: number }> {
  const { addresses = [], daemonEndpoints } = ((await coreObject(deps, 'nodes', '', name)) as Node).status ?? {};
  const port = daemonEndpoints?.kubeletEndpoint?.Port || DEFAULT_PORT;
  for (const kind of deps.connections.addressTypes) {
    const found = addresses.find(({ type }) => type === kind);
    if (found) return { host: found.address ?? '', port };
  }
  const known = addresses.map(({ type = '', address = '' }) => `{${type} ${address}}`).join(' ');
  throw unexplained(`no preferred addresses found; known addresses: [${known}]`);
}

/** Target of a proxy request: `name`, `name:port` or `scheme:name:port`. */
interface ProxyTarget {
  readonly name: string;
  /** Port; empty if not given. */
  readonly port: string;
}

/**
 * Parses the id of a proxied object: `name`, `name:port` or `scheme:name:port`.
 * @throws StatusError 400 for any other form
 */
export function proxyTarget(id: string, what: string): ProxyTarget {
  const parts = id.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme))
    throw badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  return { name, port };
}

/** @throws StatusError 400, 404, 500 */
export async function resolveNode(deps: VerbDeps, id: string): Promise<void> {
  const { host } = await agentOf(deps, proxyTarget(id, 'node').name);
  requireRoutable(host, 'or-name');
}

/** @throws StatusError 400, 404 */
export async function resolvePod(deps: ApiDeps, namespace: string, id: string): Promise<void> {
  const { status } = (await coreObject(deps, 'pods', namespace, proxyTarget(id, 'pod').name)) as Pod;
  requireRoutable(status?.podIPs?.[0]?.ip ?? status?.podIP ?? '');
}
