import type { Address } from '@orch/client';
import type { ObjectReader } from '@orch/reading';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Endpoints, Service } from '@orch/schema/types/core/v1';
import type { TypeId } from '@orch/storage';
import type { ServiceAddresses } from '@orch/webhooks';
import { clusterAddress, endpointAddress } from './service-addresses.js';

interface ServiceResolverParts {
  readonly reader: Pick<ObjectReader, 'get'>;
  /** Returns the endpoint of a resource of the core group. */
  find(resource: string): Endpoint;
  /** Whether services are reached at one of their endpoints, not at their own address. */
  readonly toEndpoints: boolean;
  /** Addresses of the services that are named here, in place of their own; see {@link readServiceMap}. Default none. */
  readonly overrides?: ReadonlyMap<string, Address>;
  /** Returns a number in [0, 1); default Math.random. */
  readonly random?: () => number;
}

/** Returns a resolver for the addresses of services in this installation. */
export function serviceResolver({
  reader,
  find,
  toEndpoints,
  overrides,
  random = Math.random,
}: ServiceResolverParts): ServiceAddresses {
  const lookUp = async (resource: string, namespace: string, name: string) => {
    const endpoint = find(resource);
    const stored = await reader.get(endpoint.type as TypeId, { namespace, name }, { want: 'any' });
    // The message of the reference for a service that its listers do not have.
    if (!stored) throw new Error(`${resource === 'services' ? 'service' : resource} ${JSON.stringify(name)} not found`);
    return fromStored(stored, endpoint);
  };
  return async ({ namespace, name, port }) => {
    const override = overrides?.get(`${namespace}/${name}:${port}`) ?? overrides?.get(`${namespace}/${name}`);
    if (override) return override;
    const service = (await lookUp('services', namespace, name)) as Service;
    if (!toEndpoints) return clusterAddress(service, port);
    return endpointAddress(service, (await lookUp('endpoints', namespace, name)) as Endpoints, port, random);
  };
}

const MAPPED = /^([^/:=]+\/[^/:=]+(?::\d+)?)=(.+):(\d+)$/;

/**
 * Reads `--service-resolver`: addresses by `NAMESPACE/NAME:PORT`, or `NAMESPACE/NAME`.
 * @throws Error for an entry of another form
 */
export function readServiceMap(entries: readonly string[]): ReadonlyMap<string, Address> {
  return new Map(
    entries.map((entry) => {
      const [, service, host, port] = MAPPED.exec(entry) ?? [];
      if (!service || !host || Number(port) > 65535)
        throw new Error(`--service-resolver: ${entry} is not NAMESPACE/NAME:PORT=HOST:PORT`);
      return [service, { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }];
    }),
  );
}
