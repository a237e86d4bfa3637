import { StatusError } from '@orch/machinery';
import type { Endpoints, Service, ServicePort } from '@orch/schema/types/core/v1';

/** Host, a name or an address, and port. */
interface Address {
  readonly host: string;
  readonly port: number;
}

const unavailable = (message: string) => new StatusError('ServiceUnavailable', message);
const unsupported = (type: string | undefined) => new Error(`unsupported service type ${JSON.stringify(type ?? '')}`);

/**
 * Where a service is reached through whatever serves its own address.
 * @throws Error for services without one, StatusError 503 for ports that the service does not have
 */
export function clusterAddress(service: Service, port: number): Address {
  const { type, clusterIP = '', externalName = '' } = service.spec ?? {};
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
    case 'LoadBalancer':
      if (clusterIP === 'None' && type === 'ClusterIP')
        throw new Error('cannot route to service with ClusterIP "None"');
      return { host: clusterIP, port: portOf(service, port).port ?? port };
    case 'ExternalName':
      return { host: externalName, port };
    default:
      throw unsupported(type);
  }
}

/**
 * Where one of the endpoints of a service is reached.
 * @param random a number from 0 to below 1: which of them
 * @throws Error for services without endpoints of their own, StatusError 503 where there is none now
 */
export function endpointAddress(service: Service, endpoints: Endpoints, port: number, random: () => number): Address {
  const { type } = service.spec ?? {};
  if (type !== 'ClusterIP' && type !== 'NodePort' && type !== 'LoadBalancer') throw unsupported(type);
  const { name: wanted = '' } = portOf(service, port);
  const found = (endpoints.subsets ?? []).flatMap(({ addresses = [], ports = [] }) => {
    const target = ports.find(({ name = '' }) => name === wanted)?.port;
    return target === undefined ? [] : addresses.map(({ ip = '' }) => ({ host: ip, port: target }));
  });
  const chosen = found[Math.floor(random() * found.length)];
  if (!chosen) throw unavailable(`no endpoints available for service ${JSON.stringify(service.metadata?.name)}`);
  return chosen;
}

/** @throws StatusError 503 */
function portOf({ metadata, spec }: Service, number: number): ServicePort {
  const found = spec?.ports?.find(({ port }) => port === number);
  if (!found) throw unavailable(`no service port ${number} found for service ${JSON.stringify(metadata?.name)}`);
  return found;
}
