import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';

const endpoints = triedKind('', 'v1', 'endpoints', {});
const slice = triedKind('discovery.k8s.io', 'v1', 'endpointslices', { addressType: 'IPv4' });
const address = { ip: '10.0.0.1' };

describe('endpoints', () => {
  it.each<Changes>([
    {},
    { subsets: [{ addresses: [address], ports: [{ port: 80 }] }] },
    { subsets: [{ notReadyAddresses: [{ ip: 'fd00::1', hostname: 'a', nodeName: 'n.example' }] }] },
  ])('may be %j', (changes) => {
    expect(endpoints.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [{ subsets: [{}] }, ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
    [
      { subsets: [{ addresses: [{ ip: 'x', hostname: 'A' }, { ip: '::ffff:127.0.0.1' }, { ip: '0.0.0.0' }] }] },
      [
        'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        expect.stringMatching(/^subsets\[0\]\.addresses\[0\]\.hostname: Invalid value: "A": a lowercase/) as never,
        'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
        'subsets[0].addresses[1].ip: Invalid value: "::ffff:127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'subsets[0].addresses[2].ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
      ],
    ],
    [
      {
        subsets: [
          {
            notReadyAddresses: [{ ip: 'fe80::1' }, { ip: 'ff02::1' }],
            ports: [{ port: 0 }, { name: 'b', port: 1, protocol: 'X', appProtocol: 'a b' }],
          },
        ],
      },
      [
        'subsets[0].notReadyAddresses[0].ip: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        'subsets[0].notReadyAddresses[1].ip: Invalid value: "ff02::1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
        'subsets[0].ports[0].name: Required value',
        'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'subsets[0].ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        expect.stringMatching(/^subsets\[0\]\.ports\[1\]\.appProtocol: Invalid value: "a b": name part/) as never,
      ],
    ],
  ])('may not be %j', (changes, expected) => {
    expect(endpoints.created(changes)).toEqual(expected);
  });
});

describe('a slice of endpoints', () => {
  it.each<Changes>([
    {},
    { endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{}, { name: 'b', port: 80 }] },
    { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] },
    { addressType: 'FQDN', endpoints: [{ addresses: ['a.example.com.'] }] },
    { endpoints: [{ addresses: ['10.0.0.1'], hints: { forZones: [{ name: 'a' }, { name: 'b' }] } }] },
  ])('may be %j', (changes) => {
    expect(slice.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [{ addressType: undefined }, ['addressType: Required value']],
    [{ addressType: 'IP' }, ['addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"']],
    [
      {
        endpoints: [
          { addresses: [] },
          { addresses: ['fd00::1', '127.0.0.1'], nodeName: 'N', hostname: 'a.b' },
          { addresses: ['10.0.0.1'], hints: { forZones: [{ name: 'z' }, { name: 'z' }, { name: '-' }] } },
        ],
        ports: [{}, { name: '' }, { name: 'A', protocol: 'X' }],
      },
      [
        'endpoints[0].addresses: Required value: must contain at least 1 address',
        'endpoints[1].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address',
        'endpoints[1].addresses[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        expect.stringMatching(/^endpoints\[1\]\.nodeName: Invalid value: "N": a lowercase RFC 1123 subdomain/) as never,
        `endpoints[1].hostname: Invalid value: "a.b": must not contain dots`,
        'endpoints[2].hints.forZones[1].name: Duplicate value: "z"',
        expect.stringMatching(
          /^endpoints\[2\]\.hints\.forZones\[2\]\.name: Invalid value: "-": a valid label/,
        ) as never,
        'ports[1].name: Duplicate value: ""',
        expect.stringMatching(/^ports\[2\]\.name: Invalid value: "A": a lowercase RFC 1123 label/) as never,
        'ports[2].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      ],
    ],
    [
      { addressType: 'FQDN', endpoints: [{ addresses: ['', 'com', 'A.com'] }] },
      [
        'endpoints[0].addresses[0]: Required value',
        'endpoints[0].addresses[1]: Invalid value: "com": should be a domain with at least two segments separated by dots',
        expect.stringMatching(/^endpoints\[0\]\.addresses\[2\]: Invalid value: "A\.com": a lowercase/) as never,
      ],
    ],
    [
      { endpoints: Array.from({ length: 1001 }, () => ({})) },
      ['endpoints: Too many: 1001: must have at most 1000 items'],
    ],
    [
      { endpoints: [{ addresses: Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) }] },
      ['endpoints[0].addresses: Too many: 101: must have at most 100 items'],
    ],
    [
      { endpoints: [{ addresses: ['10.0.0.1'], hints: { forZones: Array.from({ length: 9 }, () => ({})) } }] },
      ['endpoints[0].hints.forZones: Too many: 9: must have at most 8 items'],
    ],
  ])('may not be %j', (changes, expected) => {
    expect(slice.created(changes)).toEqual(expected);
  });

  it('keeps its type of addresses', () => {
    expect(slice.updated({}, { addressType: 'IPv6' })).toEqual([
      'addressType: Invalid value: "IPv6": field is immutable',
    ]);
  });
});
