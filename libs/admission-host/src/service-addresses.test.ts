import type { Endpoints, Service } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { clusterAddress, endpointAddress } from './service-addresses.js';

type Spec = NonNullable<Service['spec']>;
const service = (spec: Spec = {}): Service => ({
  metadata: { name: 'hooks', namespace: 'default' },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.0.0.7',
    ports: [
      { name: 'https', port: 443 },
      { name: 'm', port: 80 },
    ],
    ...spec,
  },
});

describe('the address of a service', () => {
  it.each<[Spec, object]>([
    [{}, { host: '10.0.0.7', port: 443 }],
    [{ type: 'NodePort' }, { host: '10.0.0.7', port: 443 }],
    [
      { type: 'LoadBalancer', clusterIP: 'fd00::7' },
      { host: 'fd00::7', port: 443 },
    ],
    [
      { type: 'ExternalName', externalName: 'hooks.example.com', ports: [] },
      { host: 'hooks.example.com', port: 443 },
    ],
  ])('of %j is %j', (spec, address) => {
    expect(clusterAddress(service(spec), 443)).toEqual(address);
  });

  it.each<[Spec, number, string]>([
    [{ clusterIP: 'None' }, 443, 'cannot route to service with ClusterIP "None"'],
    [{}, 8443, 'no service port 8443 found for service "hooks"'],
    [{ type: 'Other' as 'ClusterIP' }, 443, 'unsupported service type "Other"'],
  ])('there is none of %j at %d', (spec, port, message) => {
    expect(() => clusterAddress(service(spec), port)).toThrow(message);
  });
});

describe('the address of one of its endpoints', () => {
  const endpoints: Endpoints = {
    subsets: [
      { addresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'm', port: 9090 }] },
      { notReadyAddresses: [{ ip: '10.1.0.9' }], ports: [{ name: 'https', port: 8443 }] },
      { addresses: [{ ip: '10.1.0.2' }, { ip: '10.1.0.3' }], ports: [{ name: 'https', port: 8443 }] },
      { addresses: [{ ip: '10.1.0.4' }], ports: [{ name: 'https', port: 9443 }] },
    ],
  };

  it.each([
    [0, '10.1.0.2', 8443],
    [0.5, '10.1.0.3', 8443],
    [0.99, '10.1.0.4', 9443],
  ])('is any of those that are ready and have the port: %d', (drawn, host, port) => {
    expect(endpointAddress(service(), endpoints, 443, () => drawn)).toEqual({ host, port });
  });

  it('is that of a port without a name', () => {
    const unnamed = { subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 8443 }] }] };
    expect(endpointAddress(service({ ports: [{ port: 443 }] }), unnamed, 443, () => 0).port).toBe(8443);
  });

  it.each<[Spec, Endpoints, number, string]>([
    [{}, {}, 443, 'no endpoints available for service "hooks"'],
    [{ ports: [{ name: 'x', port: 443 }] }, endpoints, 443, 'no endpoints available for service "hooks"'],
    [{}, endpoints, 8443, 'no service port 8443 found for service "hooks"'],
    [{ type: 'ExternalName' }, endpoints, 443, 'unsupported service type "ExternalName"'],
  ])('there is none of %j', (spec, there, port, message) => {
    expect(() => endpointAddress(service(spec), there, port, () => 0)).toThrow(message);
  });
});
