import type { APIService } from '@orch/schema/types/apiregistration/v1';
import type { Endpoints, Service } from '@orch/schema/types/core/v1';

/** Whether a registered group-version can be asked for: the condition `Available`, but for its time. */
export interface Availability {
  readonly status: 'True' | 'False';
  /** A word for programs on why. */
  readonly reason: string;
  readonly message: string;
}

const no = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

/** Of a group-version that this server answers for. */
export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** Of one that answered when it was asked. */
export const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** Of one that did not. */
export const failedDiscovery = (message: string): Availability => no('FailedDiscoveryCheck', message);

/** What is known of the service of a registration; undefined for what is not there. */
export interface Backing {
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined;
}

/** Why a registered group-version cannot be there, or that this server answers for it; undefined when only asking it tells. */
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
