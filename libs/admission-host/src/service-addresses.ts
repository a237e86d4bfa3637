import { StatusError } from '@orch/machinery';
import type { Endpoints, Service, ServicePort } from '@orch/schema/types/core/v1';

/** A host, by name or address, and a port. */
interface Address {
  readonly host: string;
  readonly port: number;
}

const unavailable = (message: string) => new StatusError('ServiceUnavailable', message);
const unsupported = (type: string | undefined) => new Error(`unsupported service type ${JSON.stringify(type ?? '')}`);

/**
 * Returns the address of a service itself, its cluster IP or external name.
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
 * Returns the address of one endpoint of a service.
 * @param random returns a number in [0, 1), which selects the endpoint
 * @throws Error for types of services without endpoints of their own, StatusError 503 if there is no endpoint now
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

/** Returns the port of a service by its number. @throws StatusError 503 for an unknown port */
function portOf({ metadata, spec }: Service, number: number): ServicePort {
  const found = spec?.ports?.find(({ port }) => port === number);
  if (!found) throw unavailable(`no service port ${number} found for service ${JSON.stringify(metadata?.name)}`);
  return found;
}
