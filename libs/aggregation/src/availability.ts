import type { APIService } from '@orch/schema/types/apiregistration/v1';
import type { Endpoints, Service } from '@orch/schema/types/core/v1';

/** Whether requests for a registered group-version can be proxied: the condition `Available` without its time. */
export interface Availability {
  /** `True` for an available group-version. */
  readonly status: 'True' | 'False';
  /** Reason in one word, for programs. */
  readonly reason: string;
  /** A sentence for people on why. */
  readonly message: string;
}

const no = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

/** Availability of a group-version that this server answers for. */
export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** Availability of a server that answered its last check. */
export const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** Availability of a server that failed its last check. */
export const failedDiscovery = (message: string): Availability => no('FailedDiscoveryCheck', message);

/** A registration's Service and its endpoints; undefined for an object that does not exist. */
export interface Backing {
  /** The Service that the registration names. */
  readonly service: Service | undefined;
  /** Endpoints of the Service. */
  readonly endpoints: Endpoints | undefined;
}

/**
 * Returns why a registered group-version cannot be available, or that this server answers for it; undefined when only a
 * request to its server shows it.
 */
export function knownAvailability({ spec }: APIService, { service, endpoints }: Backing): Availability | undefined {
  if (!spec?.service) return LOCAL;
  const { namespace = '', name = '', port: wanted = 443 } = spec.service;
  const place = `service/${name} in ${JSON.stringify(namespace)}`;
  if (!service) return no('ServiceNotFound', `${place} is not present`);
  if (service.spec?.type !== 'ClusterIP') return undefined;
  const port = service.spec.ports?.find((each) => each.port === wanted);
  if (!port) return no('ServicePortError', `${place} is not listening on port ${wanted}`);
  if (!endpoints) return no('EndpointsNotFound', `cannot find endpoints for ${place}`);
  const portName = port.name ?? '';
  const isReady = endpoints.subsets?.some(
    ({ addresses = [], ports = [] }) =>
      addresses.length > 0 && ports.some(({ name: called = '' }) => called === portName),
  );
  if (isReady) return undefined;
  return no('MissingEndpoints', `endpoints for ${place} have no addresses with port name ${JSON.stringify(portName)}`);
}
