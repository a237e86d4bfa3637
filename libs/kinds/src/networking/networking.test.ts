import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';

const GROUP = 'networking.k8s.io';
const policy = triedKind(GROUP, 'v1', 'networkpolicies', { spec: {} });
const backend = { service: { name: 'web', port: { number: 80 } } };
const ingress = triedKind(GROUP, 'v1', 'ingresses', { spec: { defaultBackend: backend } });
const ingressClass = triedKind(GROUP, 'v1', 'ingressclasses', { spec: { controller: 'example.com/c' } });
const address = triedKind(GROUP, 'v1alpha1', 'ipaddresses', {
  metadata: { name: '10.0.0.1' },
  spec: { parentRef: { resource: 'services', name: 's', namespace: 'n' } },
});
const range = triedKind(GROUP, 'v1alpha1', 'clustercidrs', { spec: { perNodeHostBits: 8, ipv4: '10.0.0.0/16' } });
const block = (ipBlock: object): Changes => ({ 'spec.ingress': [{ from: [{ ipBlock }] }] });

describe('a network policy', () => {
  it.each<[Changes, string[]]>([
    [block({ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }), []],
    [
      block({ cidr: '10.0.0.0/8', except: ['11.0.0.0/16', 'fd00::/64', 'x', 'y'] }),
      [
        'except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
        'except[1]: Invalid value: "fd00::/64": must be a strict subset of `cidr`',
        'except[2]: Invalid value: "x": not a valid CIDR',
      ].map((text) => `spec.ingress[0].from[0].ipBlock.${text}`),
    ],
    [
      { 'spec.policyTypes': ['Ingress', 'Egress', 'Ingress'] },
      [
        'spec.policyTypes: Invalid value: []networking.PolicyType{"Ingress", "Egress", "Ingress"}: may not specify more than two policyTypes',
      ],
    ],
    [
      { 'spec.egress': [{ ports: [{ endPort: 5 }, { port: 'http', endPort: 5 }, { port: 9, endPort: 5 }] }] },
      [
        'ports[0].endPort: Invalid value: 5: may not be specified when `port` is not specified',
        'ports[1].endPort: Invalid value: 5: may not be specified when `port` is non-numeric',
        'ports[2].endPort: Invalid value: 9: must be greater than or equal to `port`',
      ].map((text) => `spec.egress[0].${text}`),
    ],
  ])('%j', (changes, expected) => {
    expect(policy.created(changes)).toEqual(expected);
  });

  it('keeps a selector that was stored with what no label can be', () => {
    const strange = { 'spec.podSelector': { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] } };
    expect(policy.created(strange)).toHaveLength(1);
    expect(policy.updated(strange, { 'spec.policyTypes': ['Egress'] })).toEqual([]);
  });
});

describe('an ingress', () => {
  const noted = 'kubernetes.io/ingress.class';

  it.each<[Changes, string[]]>([
    [{ 'metadata.annotations': { [noted]: 'a' }, 'spec.ingressClassName': 'a' }, []],
    [
      { 'metadata.annotations': { [noted]: 'a' }, 'spec.ingressClassName': 'b' },
      [`annotations.${noted}: Invalid value: "a": must match \`ingressClassName\` when both are specified`],
    ],
    [
      { 'spec.ingressClassName': '' },
      [expect.stringMatching(/^spec\.ingressClassName: Invalid value: "": a lowercase RFC 1123 subdomain/) as never],
    ],
    [
      { 'spec.defaultBackend': { resource: { apiGroup: '', kind: 'a/b' } } },
      [
        expect.stringMatching(/^spec\.defaultBackend\.resource\.apiGroup: Invalid value: "": a lowercase/) as never,
        'spec.defaultBackend.resource.kind: Invalid value: "a/b": may not contain \'/\'',
        'spec.defaultBackend.resource.name: Required value: name is required',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(ingress.created(changes)).toEqual(expected);
  });

  it('keeps names of secrets, and rules of wildcards, that were stored wrong', () => {
    const secrets = { 'spec.tls': [{ secretName: 'A' }] };
    const wildcard = { 'spec.rules': [{ host: '*.a.com', http: { paths: [] } }] };
    const more = { 'spec.ingressClassName': 'c' };
    for (const before of [secrets, wildcard]) {
      expect(ingress.created(before)).toHaveLength(1);
      expect(ingress.updated(before, more)).toEqual([]);
    }
  });

  it('is reached at addresses and names', () => {
    const status = {
      loadBalancer: {
        ingress: [
          { ip: '1.2.3.4', hostname: 'a.b' },
          { ip: 'x', hostname: '1.2.3.4' },
        ],
      },
    };
    expect(ingress.updated({}, { status }, 'status')).toEqual([
      'status.loadBalancer.ingress[1].ip: Invalid value: "x": must be a valid IP address',
      'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ]);
  });
});

describe('a class of ingresses', () => {
  const parameters = (changes: object): Changes => ({ 'spec.parameters': { kind: 'K', name: 'n', ...changes } });

  it.each<[Changes, string[]]>([
    [parameters({}), []],
    [parameters({ scope: 'Namespace', namespace: 'n' }), []],
    [{ 'spec.controller': '' }, ['spec.controller: Required value']],
    [
      { 'spec.controller': 'example.com' },
      ['spec.controller: Invalid value: "example.com": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      { 'spec.controller': 'A/b c' },
      [
        expect.stringMatching(/^spec\.controller: Invalid value: "A": a lowercase RFC 1123 subdomain/) as never,
        "spec.controller: Invalid value: \"b c\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
      ],
    ],
    [{ 'spec.controller': `a.b/${'x'.repeat(250)}` }, ['spec.controller: Too long: must have at most 250 bytes']],
    [parameters({ namespace: 'n' }), ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"]],
    [
      parameters({ scope: 'Namespace' }),
      ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ],
    [
      parameters({ scope: 'Odd' }),
      ['spec.parameters.scope: Unsupported value: "Odd": supported values: "Cluster", "Namespace"'],
    ],
  ])('%j', (changes, expected) => {
    expect(ingressClass.created(changes)).toEqual(expected);
  });
});

describe('an address', () => {
  it.each<[Changes, string[]]>([
    [{}, []],
    [{ 'metadata.name': 'fd00::1' }, []],
    [{ 'metadata.name': 'FD00::1' }, ['metadata.name: Invalid value: "FD00::1": not a valid ip in canonical format']],
    [{ 'metadata.name': 'a' }, ['metadata.name: Invalid value: "a": ParseAddr("a"): unable to parse IP']],
    [{ spec: {} }, ['spec.parentRef: Required value']],
    [
      { 'spec.parentRef': { group: 'A', name: 'a/b' } },
      [
        expect.stringMatching(/^spec\.parentRef\.group: Invalid value: "A": a lowercase/) as never,
        'spec.parentRef.resource: Required value',
        'spec.parentRef.name: Invalid value: "a/b": may not contain \'/\'',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(address.created(changes)).toEqual(expected);
  });
});

describe('a range of addresses', () => {
  it.each<[Changes, string[]]>([
    [{}, []],
    [{ 'spec.ipv6': 'fd00::/64' }, []],
    [{ spec: {} }, ['spec: Required value: one or both of `ipv4` and `ipv6` must be specified']],
    [
      { 'spec.ipv4': 'fd00::/120', 'spec.ipv6': 'x' },
      [
        'spec.IPv4: Invalid value: "fd00::/120": must be a valid IPv4 CIDR',
        'spec.perNodeHostBits: Invalid value: 8: must be less than or equal to -88',
        'spec.IPv6: Invalid value: "x": must be a valid CIDR: x',
      ],
    ],
    [{ 'spec.perNodeHostBits': 3 }, ['spec.perNodeHostBits: Invalid value: 3: must be greater than or equal to 4']],
    [
      { 'spec.nodeSelector': {} },
      ['spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term'],
    ],
  ])('%j', (changes, expected) => {
    expect(range.created(changes)).toEqual(expected);
  });

  it('stays as it is', () => {
    expect(range.updated({}, { 'spec.ipv4': '10.0.0.0/8', 'spec.perNodeHostBits': 9 })).toEqual([
      'spec.perNodeHostBits: Invalid value: 9: field is immutable',
      'spec.ipv4: Invalid value: "10.0.0.0/8": field is immutable',
    ]);
  });
});
