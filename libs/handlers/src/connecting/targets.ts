import { type ApiObject, badRequest, StatusError } from '@orch/machinery';
import type { Node, Pod } from '@orch/schema/types/core/v1';
import type { ApiDeps, VerbDeps } from '../deps.js';
import { endpointOf, otherObject } from '../subresources/other-objects.js';
import { requireRoutable } from './addresses.js';
import { type NodeBackend, unexplained } from './connections.js';

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
  /** Whether it is asked for over TLS. */
  readonly secure: boolean;
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
  return { secure: scheme === 'https', name, port };
}

/** The server behind a proxy, but for the path. */
export type BackendPlace = Omit<NodeBackend, 'path'>;

/** The agent of a node, or another port of the node. @throws StatusError 400, 404, 500 */
export async function nodePlace(deps: VerbDeps, id: string): Promise<BackendPlace> {
  const { secure, name, port } = proxyTarget(id, 'node');
  const agent = await agentOf(deps, name);
  requireRoutable(agent.host, 'or-name');
  if (port === '' || Number(port) === agent.port) return { ...agent, serves: 'agent', secure: true };
  return { serves: 'pod', secure, host: agent.host, port: portOf(port) };
}

/**
 * The port of a pod that is asked for, or the first that it declares.
 * @throws StatusError 400, 404, 503
 */
export async function podPlace(deps: ApiDeps, namespace: string, id: string): Promise<BackendPlace> {
  const { secure, name, port } = proxyTarget(id, 'pod');
  const { spec, status } = (await coreObject(deps, 'pods', namespace, name)) as Pod;
  const host = status?.podIPs?.[0]?.ip ?? status?.podIP ?? '';
  requireRoutable(host);
  const declared = spec?.containers?.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
  const requested = port === '' ? undefined : portOf(port);
  return { serves: 'pod', secure, host, port: requested ?? declared ?? (secure ? HTTPS : HTTP) };
}

const [HTTP, HTTPS] = [80, 443];
const MOST_PORT = 65_535;

/** @throws StatusError 503 for a port that is no number: pods and nodes know no others */
function portOf(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port > 0 && port <= MOST_PORT) return port;
  const why = Number.isNaN(port) ? `lookup tcp/${text}: unknown port` : `address ${text}: invalid port`;
  throw new StatusError('ServiceUnavailable', `error trying to reach service: dial tcp: ${why}`);
}
