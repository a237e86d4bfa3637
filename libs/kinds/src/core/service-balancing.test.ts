import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';

const service = triedKind('', 'v1', 'services', { spec: { ports: [{ port: 80 }] } });
const balanced = { 'spec.type': 'LoadBalancer' };
const only = "may only be used when `type` is 'LoadBalancer'";
const noted = 'service.beta.kubernetes.io/load-balancer-source-ranges';

describe('a balanced service', () => {
  it.each<[Changes, string[]]>([
    [{ ...balanced, 'spec.loadBalancerSourceRanges': ['10.0.0.0/8', ' fd00::/64'] }, []],
    [{ ...balanced, 'metadata.annotations': { [noted]: '10.0.0.0/8, 11.0.0.0/8' } }, []],
    [{ ...balanced, 'metadata.annotations': { [noted]: ' ' } }, []],
    [
      { ...balanced, 'spec.loadBalancerSourceRanges': ['10.0.0.0', 'x'], 'spec.ports.0.port': 10250 },
      [
        'spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet',
        'spec.LoadBalancerSourceRanges: Invalid value: "[10.0.0.0 x]": must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ',
      ],
    ],
    [
      { 'metadata.annotations': { [noted]: 'x' }, 'spec.loadBalancerClass': '', 'spec.ports.0.appProtocol': 'a b' },
      [
        expect.stringMatching(/^spec\.ports\[0\]\.appProtocol: Invalid value: "a b": name part must consist/) as never,
        `metadata.annotations[${noted}]: Forbidden: ${only}`,
        `metadata.annotations[${noted}]: Invalid value: "x": must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 `,
        `spec.loadBalancerClass: Forbidden: ${only}`,
      ],
    ],
    [
      { ...balanced, 'spec.externalTrafficPolicy': 'Local', 'spec.healthCheckNodePort': 70000 },
      ['spec.healthCheckNodePort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
    ],
    [
      {
        'metadata.annotations': {
          'service.kubernetes.io/topology-aware-hints': 'Auto',
          'service.kubernetes.io/topology-mode': 'Disabled',
        },
      },
      [
        'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "Disabled": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
      ],
    ],
    [
      { 'spec.ipFamilies': ['IPv4', 'IPv4', 'IPv5'] },
      [
        'spec.ipFamilies[1]: Duplicate value: "IPv4"',
        'spec.ipFamilies[2]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(service.created(changes)).toEqual(expected);
  });

  it('keeps its class and the port of its health check', () => {
    const local = { ...balanced, 'spec.externalTrafficPolicy': 'Local', 'spec.healthCheckNodePort': 30001 };
    expect(service.updated({ ...local, 'spec.loadBalancerClass': 'a/b' }, { 'spec.loadBalancerClass': 'a/c' })).toEqual(
      ['spec.loadBalancerClass: Invalid value: "a/c": may not change once set'],
    );
    expect(service.updated(local, { 'spec.healthCheckNodePort': 30002 })).toEqual([
      'spec.healthCheckNodePort: Forbidden: field is immutable',
    ]);
  });

  it('is reached at addresses and names', () => {
    const status = { loadBalancer: { ingress: [{ ip: 'x' }, { hostname: 'A' }] } };
    expect(service.updated(balanced, { status }, 'status')).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address',
      expect.stringMatching(/^status\.loadBalancer\.ingress\[1\]\.hostname: Invalid value: "A": a lowercase/),
    ]);
  });
});
