import { StatusError } from '@orch/machinery';
import type { EndpointAddress, EndpointSubset, Endpoints, Pod, Service } from '@orch/schema/types/core/v1';
import { isGone, type RequestContext } from '@orch/serving';
import type { ApiDeps } from '../deps.js';
import { type BackendPlace, coreObject, proxyTarget } from './targets.js';

const none = (message: string) => new StatusError('ServiceUnavailable', message);

/** Pods that are read for a request, at most: a service has as many endpoints as their authors like. */
const MOST_TRIED = 16;

/**
 * Finds an endpoint of a service that is ready and is a pod, a random one of them.
 * @throws StatusError 400, 404; 503 where there is none, none among those that were tried, or the client has left
 */
export async function servicePlace(
  deps: ApiDeps,
  ctx: Pick<RequestContext, 'res'>,
  namespace: string,
  id: string,
): Promise<BackendPlace> {
  const { secure, name, port } = proxyTarget(id, 'service');
  const wanted = /^[+-]?\d+$/.test(port) ? await portName(deps, namespace, name, Number(port)) : port;
  const { subsets = [] } = (await coreObject(deps, 'endpoints', namespace, name)) as Endpoints;
  if (subsets.length === 0) throw none(`no endpoints available for service ${JSON.stringify(name)}`);
  let tried = 0;
  for (const { address, port: found } of candidates(subsets, namespace, wanted)) {
    if (tried++ === MOST_TRIED || isGone(ctx)) break;
    if (await isPod(deps, namespace, address)) return { serves: 'pod', secure, host: address.ip ?? '', port: found };
  }
  throw none(`no endpoints available for service ${JSON.stringify(id)}`);
}

/** Endpoints that name a pod of the namespace, with their port of a name, from a random one on. */
function* candidates(subsets: readonly EndpointSubset[], namespace: string, wanted: string) {
  for (const { addresses = [], ports = [] } of rotated(subsets)) {
    const found = ports.find((each) => (each.name ?? '') === wanted);
    if (!found) continue;
    for (const address of rotated(addresses)) {
      const { targetRef } = address;
      if (targetRef?.name && (targetRef.namespace ?? '') === namespace) yield { address, port: found.port ?? 0 };
    }
  }
}

/** All elements in their order, from a random one on. */
function rotated<T>(all: readonly T[]): readonly T[] {
  const first = Math.floor(Math.random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}

/** Name of a service port that is given by its number. */
async function portName(deps: ApiDeps, namespace: string, name: string, number: number): Promise<string> {
  const { spec } = (await coreObject(deps, 'services', namespace, name)) as Service;
  const found = spec?.ports?.find(({ port }) => port === number);
  if (!found) throw none(`no service port ${number} found for service ${JSON.stringify(name)}`);
  return found.name ?? '';
}

/**
 * Whether an endpoint's address belongs to the pod that it names: authors of endpoints must not direct requests
 * elsewhere.
 */
async function isPod(deps: ApiDeps, namespace: string, { ip, targetRef }: EndpointAddress): Promise<boolean> {
  const pod = await coreObject(deps, 'pods', namespace, targetRef?.name ?? '').catch(nothingThere);
  return (pod as Pod | undefined)?.status?.podIPs?.some((each) => each.ip === ip) ?? false;
}

function nothingThere(error: unknown): undefined {
  if (!(error instanceof StatusError) || error.code !== 404) throw error;
  return undefined;
}
