import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';

const node = triedKind('', 'v1', 'nodes', {});

describe('a new node', () => {
  it.each<Changes>([
    {},
    {
      'spec.taints': [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoExecute', value: 'b' },
      ],
    },
    { 'spec.podCIDRs': ['10.0.0.0/24', 'fd00::/64'], 'spec.podCIDR': '10.0.0.0/24' },
    { 'status.capacity': { cpu: '1500m', memory: '1Gi', pods: '110', 'example.com/gpu': '2' } },
    // Dropped before it is looked at.
    { 'spec.configSource': {}, 'status.config': { active: {} } },
  ])('may have %j', (changes) => {
    expect(node.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.taints': [
          { key: 'a b', value: '-' },
          { key: 'c', effect: 'Never' },
          { key: 'd', effect: 'NoExecute' },
          { key: 'd', value: 'e', effect: 'NoExecute' },
        ],
      },
      [
        expect.stringMatching(/^metadata\.taints\[0\]\.key: Invalid value: "a b": name part must consist/) as never,
        expect.stringMatching(/^metadata\.taints\[0\]\.value: Invalid value: "-": a valid label must be/) as never,
        'metadata.taints[0].effect: Required value',
        'metadata.taints[1].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        'metadata.taints[3]: Duplicate value: core.Taint{Key:"d", Value:"e", Effect:"NoExecute", TimeAdded:<nil>}: taints must be unique by key and effect pair',
      ],
    ],
    [
      { 'spec.podCIDRs': ['10.0.0.0/24', '10.0.0.0/24'] },
      [
        'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.0.0.0/24"}: may specify no more than one CIDR for each IP family',
        'spec.podCIDRs[1]: Duplicate value: "10.0.0.0/24"',
      ],
    ],
    [{ 'spec.podCIDR': '10.0.0.0' }, ['spec.podCIDRs[0]: Invalid value: []string{"10.0.0.0"}: must be valid CIDR']],
    [
      { 'status.capacity': { cpu: '-1', 'example.com/gpu': '1500m' }, 'status.allocatable': { pods: '1500m' } },
      [
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.capacity.example.com/gpu: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
        'status.allocatable.pods: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
      ],
    ],
    [
      { 'metadata.finalizers': ['mine', 'kubernetes', 'example.com/f'] },
      [
        'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
  ])('may not have %j', (changes, expected) => {
    expect(node.created(changes)).toEqual(expected);
  });

  it('has its one network as the first of the list', () => {
    expect(node.made({ 'spec.podCIDR': '10.0.0.0/24' }).spec).toMatchObject({ podCIDRs: ['10.0.0.0/24'] });
    expect(node.made({ 'spec.podCIDRs': ['10.0.0.0/24'] }).spec).toMatchObject({ podCIDR: '10.0.0.0/24' });
  });
});

describe('an update of a node', () => {
  it.each<[Changes, Changes, string[]]>([
    [{}, { 'spec.podCIDRs': ['10.0.0.0/24'], 'spec.providerID': 'p' }, []],
    [{ 'spec.podCIDR': '10.0.0.0/24' }, { 'spec.unschedulable': true }, []],
    [
      { 'spec.podCIDRs': ['10.0.0.0/24'], 'spec.providerID': 'p' },
      { 'spec.podCIDR': '10.0.1.0/24', 'spec.providerID': 'q', 'spec.externalID': 'e' },
      [
        'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
        'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
        'spec.externalID: Forbidden: may not be updated',
      ],
    ],
  ])('from %j with %j', (before, after, expected) => {
    expect(node.updated(before, after)).toEqual(expected);
  });

  it('of its status', () => {
    const address = { type: 'InternalIP', address: '10.0.0.1' };
    expect(node.updated({}, { status: { addresses: [address], capacity: { cpu: '4' } } }, 'status')).toEqual([]);
    expect(node.updated({}, { status: { addresses: [address, address], capacity: { cpu: '-4' } } }, 'status')).toEqual([
      'status.capacity.cpu: Invalid value: "-4": must be greater than or equal to 0',
      'status.allocatable.cpu: Invalid value: "-4": must be greater than or equal to 0',
      'status.addresses[1]: Duplicate value: core.NodeAddress{Type:"InternalIP", Address:"10.0.0.1"}',
    ]);
  });
});
