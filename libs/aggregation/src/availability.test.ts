import type { APIService } from '@orch/schema/types/apiregistration/v1';
import type { Endpoints, Service } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { type Backing, knownAvailability } from './availability.js';

const registered: APIService = { spec: { group: 'g', version: 'v1', service: { namespace: 'n', name: 's' } } };
const service = (spec: Service['spec'] = {}): Service => ({
  spec: { type: 'ClusterIP', ports: [{ name: 'api', port: 443 }], ...spec },
});
const endpoints = (name: string, ...ips: string[]): Endpoints => ({
  subsets: [
    { addresses: ips.map((ip) => ({ ip })), notReadyAddresses: [{ ip: '10.0.0.9' }], ports: [{ name, port: 8443 }] },
  ],
});

describe('whether a registered group-version can be there', () => {
  it.each<[string, APIService, Backing, string | undefined, string?]>([
    ['this server answers', { spec: {} }, { service: undefined, endpoints: undefined }, 'Local'],
    [
      'no service',
      registered,
      { service: undefined, endpoints: undefined },
      'ServiceNotFound',
      'service/s in "n" is not present',
    ],
    [
      'another port',
      registered,
      { service: service({ ports: [{ port: 80 }] }), endpoints: undefined },
      'ServicePortError',
      'service/s in "n" is not listening on port 443',
    ],
    [
      'no endpoints',
      registered,
      { service: service(), endpoints: undefined },
      'EndpointsNotFound',
      'cannot find endpoints for service/s in "n"',
    ],
    [
      'none that is ready',
      registered,
      { service: service(), endpoints: endpoints('api') },
      'MissingEndpoints',
      'endpoints for service/s in "n" have no addresses with port name "api"',
    ],
    ['none of the port', registered, { service: service(), endpoints: endpoints('x', '10.0.0.1') }, 'MissingEndpoints'],
    ['one that is ready', registered, { service: service(), endpoints: endpoints('api', '10.0.0.1') }, undefined],
    [
      'a service elsewhere',
      registered,
      { service: service({ type: 'ExternalName' }), endpoints: undefined },
      undefined,
    ],
  ])('%s', (_name, registration, backing, reason, message) => {
    const known = knownAvailability(registration, backing);
    expect(known?.reason).toBe(reason);
    if (message) expect(known).toEqual({ status: 'False', reason, message });
  });
});
