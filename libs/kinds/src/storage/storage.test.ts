import { describe, expect, it } from 'vitest';
import { type Changes, triedKind } from '../testing/refusals.js';

const GROUP = 'storage.k8s.io';
const storageClass = triedKind(GROUP, 'v1', 'storageclasses', { provisioner: 'example.com/p' });
const driver = triedKind(GROUP, 'v1', 'csidrivers', {});
const node = triedKind(GROUP, 'v1', 'csinodes', { spec: { drivers: [{ name: 'd', nodeID: 'n' }] } });
const capacity = triedKind(GROUP, 'v1', 'csistoragecapacities', { storageClassName: 'c' });
const attachment = triedKind(GROUP, 'v1', 'volumeattachments', {
  spec: { attacher: 'd.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
});
const zone = (...values: string[]) => ({ matchLabelExpressions: [{ key: 'zone', values }] });

describe('a storage class', () => {
  it.each<[Changes, string[]]>([
    [{ allowedTopologies: [zone('a', 'b'), zone('c')], parameters: { a: 'b' } }, []],
    [
      { allowedTopologies: [zone(), zone('a', 'a'), zone('a')] },
      [
        'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
        'allowedTopologies[1].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
        'allowedTopologies[2].matchLabelExpressions: Duplicate value: ""',
      ],
    ],
    [
      { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, ''])) },
      ['parameters: Too long: must have at most 512 bytes'],
    ],
    [{ parameters: { a: 'x'.repeat(262144) } }, ['parameters: Too long: must have at most 262144 bytes']],
    [
      { reclaimPolicy: 'Recycle', volumeBindingMode: 'Later' },
      [
        'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
        'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(storageClass.created(changes)).toEqual(expected);
  });
});

describe('a CSI driver', () => {
  it.each<[Changes, string[]]>([
    [{}, []],
    [{ 'spec.tokenRequests': [{ audience: 'a', expirationSeconds: 600 }, { audience: '' }] }, []],
    [
      { 'spec.fsGroupPolicy': 'Odd', 'spec.volumeLifecycleModes': ['Odd'] },
      [
        'spec.fsGroupPolicy: Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"',
        'spec.volumeLifecycleModes: Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"',
      ],
    ],
    [
      {
        'spec.tokenRequests': [
          { audience: 'a', expirationSeconds: 599 },
          { audience: 'a' },
          { audience: 'b', expirationSeconds: 2 ** 32 + 1 },
        ],
      },
      [
        'spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
        'spec.tokenRequests[2].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(driver.created(changes)).toEqual(expected);
  });

  it('keeps what volumes were made by', () => {
    expect(driver.updated({}, { 'spec.requiresRepublish': true, 'spec.storageCapacity': true })).toEqual([]);
    expect(driver.updated({}, { 'spec.attachRequired': false, 'spec.podInfoOnMount': true })).toEqual([
      'spec.attachedRequired: Invalid value: false: field is immutable',
      'spec.podInfoOnMount: Invalid value: true: field is immutable',
    ]);
  });
});

describe('the drivers of a node', () => {
  it.each<[Changes, string[]]>([
    [{}, []],
    [
      {
        'spec.drivers': [
          { name: 'd', nodeID: 'x'.repeat(257), allocatable: { count: -1 } },
          { name: 'd', topologyKeys: ['a', 'a', ''] },
        ],
      },
      [
        `spec.drivers[0].nodeID: Invalid value: "${'x'.repeat(257)}": must be 256 characters or less`,
        'spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
        'spec.drivers[1].nodeID: Required value',
        'spec.drivers[1].name: Duplicate value: "d"',
        'spec.drivers[1]: Duplicate value: "a"',
        'spec.drivers[1]: Required value',
        expect.stringMatching(/^spec\.drivers\[1\]: Invalid value: "": name part must be non-empty/) as never,
        expect.stringMatching(/^spec\.drivers\[1\]: Invalid value: "": name part must consist of/) as never,
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(node.created(changes)).toEqual(expected);
  });

  it('come and go, and stay as they are', () => {
    expect(node.updated({}, { 'spec.drivers': [{ name: 'e', nodeID: 'n' }] })).toEqual([]);
    expect(node.updated({}, { 'spec.drivers.0.nodeID': 'm' })).toEqual([
      'CSINodeDriver: Invalid value: {"name":"d","nodeID":"m"}: field is immutable',
    ]);
  });
});

it('a capacity is of a class and not negative', () => {
  expect(capacity.created()).toEqual([]);
  expect(capacity.created({ storageClassName: '', capacity: '-1' })).toEqual([
    expect.stringMatching(/^storageClassName: Invalid value: "": a lowercase RFC 1123 subdomain/),
    'capacity: Invalid value: "-1": must be greater than or equal to 0',
  ]);
});

describe('an attachment', () => {
  const inline = (spec: object): Changes => ({
    'spec.source': { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], ...spec } },
  });
  const csi = { driver: 'd', volumeHandle: 'h' };

  it.each<[Changes, string[]]>([
    [{}, []],
    [inline({ csi }), []],
    [
      { spec: {} },
      [
        'spec.attacher: Required value',
        'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
        expect.stringMatching(/^spec\.nodeName: Invalid value: "": a lowercase/) as never,
        'spec.attacher: Required value',
        expect.stringMatching(/^spec\.attacher: Invalid value: "": a lowercase/) as never,
      ],
    ],
    [
      { 'spec.source.inlineVolumeSpec': {} },
      ['spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
    ],
    [
      inline({ hostPath: { path: '/a' }, capacity: { storage: '1' }, storageClassName: 'c', volumeMode: 'Block' }),
      [
        'capacity: Forbidden: may not be specified in the context of inline volumes',
        'storageClassName: Forbidden: may not be specified in the context of inline volumes',
        'csi: Required value: has to be specified in the context of inline volumes',
        'volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
      ].map((text) => `spec.source.inlineVolumeSpec.${text}`),
    ],
  ])('%j', (changes, expected) => {
    expect(attachment.created(changes)).toEqual(expected);
  });

  it('is what it was made as, and reports within bounds', () => {
    expect(attachment.updated({}, { 'spec.nodeName': 'm' })).toEqual([
      expect.stringMatching(/^spec: Invalid value: .*: field is immutable$/),
    ]);
    const status = { attached: true, attachError: { message: 'x'.repeat(1025) } };
    expect(attachment.updated({}, { status }, 'status')).toEqual([
      'status.attachError.message: Too long: must have at most 262144 bytes',
    ]);
  });
});
