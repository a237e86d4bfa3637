import { namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { kindRules } from '../registry/registry.js';
import { type Changes, triedKind } from '../testing/refusals.js';

const volume = triedKind('', 'v1', 'persistentvolumes', {
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
});
const claim = triedKind('', 'v1', 'persistentvolumeclaims', {
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const onNode = (key: string) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }] },
});
const iqn = 'iqn.2001-04.com.example:storage';
const lying = (source: object): Changes => ({ 'spec.hostPath': undefined, ...source });

describe('a volume', () => {
  it.each<Changes>([
    {},
    lying({ 'spec.nfs': { server: 's', path: '/' } }),
    lying({ 'spec.csi': { driver: 'd.example.com', volumeHandle: 'h' } }),
    lying({ 'spec.iscsi': { targetPortal: 't', iqn, lun: 0 } }),
    lying({ 'spec.local': { path: '/a' }, 'spec.nodeAffinity': onNode('a') }),
    lying({ 'spec.fc': { targetWWNs: ['a'], lun: 0 } }),
    lying({ 'spec.azureDisk': { diskName: 'n', diskURI: 'https://a.blob.core.windows.net/c/d.vhd' } }),
    lying({ 'spec.quobyte': { registry: 'a:1,[::1]:2', volume: 'v' } }),
    lying({ 'spec.storageos': { volumeName: 'v' } }),
    { 'spec.persistentVolumeReclaimPolicy': 'Recycle' },
  ])('may be %j', (changes) => {
    expect(volume.created(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [lying({}), ['spec: Required value: must specify a volume type']],
    [
      { 'spec.capacity': { storage: '-1', cpu: '1' } },
      [
        'spec.capacity: Unsupported value: {"storage":"-1","cpu":"1"}: supported values: "storage"',
        'spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
        'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
      ],
    ],
    [
      { 'spec.hostPath': { path: '/..', type: 'Odd' }, 'spec.persistentVolumeReclaimPolicy': 'Recycle' },
      [
        'spec.hostPath.path: Invalid value: "/..": must not contain \'..\'',
        'spec.hostPath.type: Unsupported value: "Odd": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
        "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
      ],
    ],
    [
      { 'spec.nfs': { path: 'a' }, 'spec.cephfs': {} },
      [
        'spec.nfs: Forbidden: may not specify more than 1 volume type',
        'spec.cephFS: Forbidden: may not specify more than 1 volume type',
      ],
    ],
    [
      lying({ 'spec.nfs': { path: 'a' } }),
      ['spec.nfs.server: Required value', 'spec.nfs.path: Invalid value: "a": must be an absolute path'],
    ],
    [
      lying({ 'spec.gcePersistentDisk': { partition: 256 } }),
      [
        'spec.persistentDisk.pdName: Required value',
        'spec.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
      ],
    ],
    [
      lying({ 'spec.awsElasticBlockStore': { partition: -1 } }),
      [
        'spec.awsElasticBlockStore.volumeID: Required value',
        'spec.awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive',
      ],
    ],
    [
      lying({ 'spec.glusterfs': { endpointsNamespace: '' } }),
      [
        'spec.glusterfs.endpoints: Required value',
        'spec.glusterfs.path: Required value',
        'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
      ],
    ],
    [lying({ 'spec.flocker': {} }), ['spec.flocker: Required value: one of datasetName and datasetUUID is required']],
    [
      lying({ 'spec.flocker': { datasetName: 'a/b', datasetUUID: 'c' } }),
      [
        'spec.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
        'spec.flocker.datasetName: Invalid value: "a/b": must not contain \'/\'',
      ],
    ],
    [lying({ 'spec.rbd': {} }), ['spec.rbd.monitors: Required value', 'spec.rbd.image: Required value']],
    [
      lying({ 'spec.quobyte': { registry: 'a' } }),
      [
        'spec.quobyte.registry: Invalid value: "a": must be a host:port pair or multiple pairs separated by commas',
        'spec.quobyte.volume: Required value',
      ],
    ],
    [
      lying({ 'spec.iscsi': { iqn: 'iqn.x', lun: 256, initiatorName: 'odd', chapAuthSession: true } }),
      [
        'spec.iscsi.targetPortal: Required value',
        'spec.iscsi.iqn: Invalid value: "iqn.x": must be valid format',
        'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
        'spec.iscsi.secretRef: Required value',
        'spec.iscsi.initiatorname: Invalid value: "odd": must be valid format',
      ],
    ],
    [
      lying({ 'spec.cinder': { secretRef: {} } }),
      [
        'spec.cinder.volumeID: Required value',
        'spec.cinder.secretRef.name: Required value',
        'spec.cinder.secretRef.namespace: Required value',
      ],
    ],
    [
      lying({ 'spec.fc': { targetWWNs: ['a'], wwids: ['b'] } }),
      [
        'spec.fc.targetWWNs: Invalid value: []string{"a"}: targetWWNs and wwids can not be specified simultaneously',
        'spec.fc.lun: Required value: lun is required if targetWWNs is specified',
      ],
    ],
    [
      lying({ 'spec.flexVolume': { options: { 'kubernetes.io/a': '', b: '' } } }),
      [
        'spec.flexVolume.driver: Required value',
        'spec.flexVolume.options[kubernetes.io/a]: Invalid value: "kubernetes.io/a": kubernetes.io and k8s.io namespaces are reserved',
      ],
    ],
    [
      lying({ 'spec.azureFile': { shareName: 's', secretNamespace: '' } }),
      ['spec.azureFile.secretName: Required value', 'spec.azureFile.secretNamespace: Required value'],
    ],
    [
      lying({ 'spec.azureDisk': { diskName: 'n', diskURI: 'x', kind: 'Managed', cachingMode: 'Odd' } }),
      [
        'spec.azureDisk.cachingMode: Unsupported value: "Odd": supported values: "None", "ReadOnly", "ReadWrite"',
        'spec.azureDisk.diskURI: Unsupported value: "x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
      ],
    ],
    [
      lying({ 'spec.scaleIO': { system: 's', secretRef: { name: 'n' } } }),
      ['spec.scaleIO.gateway: Required value', 'spec.scaleIO.volumeName: Required value'],
    ],
    [
      lying({ 'spec.local': { path: '/a' } }),
      ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    [
      { 'spec.nodeAffinity': { required: { nodeSelectorTerms: [] } } },
      ['spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term'],
    ],
    [
      {
        'spec.nodeAffinity.required.nodeSelectorTerms': [
          {
            matchExpressions: [
              { key: 'a', operator: 'In' },
              { key: 'a', operator: 'Exists', values: ['b'] },
              { key: 'a', operator: 'Gt', values: ['1', '2'] },
              { key: 'a', operator: 'Is' },
            ],
            matchFields: [
              { key: 'spec.x', operator: 'Exists' },
              { key: 'metadata.name', operator: 'In', values: [] },
            ],
          },
        ],
      },
      [
        "matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        "matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        "matchExpressions[2].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        'matchExpressions[3].operator: Invalid value: "Is": not a valid selector operator',
        'matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
        'matchFields[0].key: Invalid value: "spec.x": not a valid field selector key',
        "matchFields[1].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ].map((text) => `spec.nodeAffinity.required.nodeSelectorTerms[0].${text}`),
    ],
    [
      lying({ 'spec.csi': { nodePublishSecretRef: { name: 'A' } } }),
      [
        'spec.csi.driver: Required value',
        expect.stringMatching(/^spec\.csi\.driver: Invalid value: "": a lowercase RFC 1123 subdomain/) as never,
        'spec.csi.volumeHandle: Required value',
        expect.stringMatching(/^spec\.csi\.nodePublishSecretRef\.name: Invalid value: "A": a lowercase/) as never,
        'spec.csi.nodePublishSecretRef.namespace: Required value',
      ],
    ],
  ])('may not be %j', (changes, expected) => {
    expect(volume.created(changes)).toEqual(expected);
  });

  it('stays where it is, but for labels of nodes under their later name', () => {
    const beta = { 'spec.nodeAffinity': onNode('failure-domain.beta.kubernetes.io/zone') };
    expect(volume.updated({}, { 'spec.nodeAffinity': onNode('a') })).toEqual([]);
    expect(volume.updated(beta, { 'spec.nodeAffinity': onNode('topology.kubernetes.io/zone') })).toEqual([]);
    expect(volume.updated(beta, { 'spec.nodeAffinity': onNode('other') })).toEqual([
      expect.stringMatching(
        /^nodeAffinity: Invalid value: .*: field is immutable, except for updating from beta label to GA$/,
      ),
    ]);
    expect(volume.updated({}, { 'spec.hostPath.path': '/b' })).toEqual([
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n',
    ]);
  });
});

describe('a claim', () => {
  it.each<[Changes, string[]]>([
    [{ 'spec.accessModes': ['ReadWriteOncePod'] }, []],
    [{ 'spec.dataSource': { kind: 'PersistentVolumeClaim', name: 'a' } }, []],
    [{ 'spec.dataSourceRef': { apiGroup: 'example.com', kind: 'Backup', name: 'a' } }, []],
    // Dropped, as older servers dropped them, and references into other namespaces.
    [{ 'spec.dataSource': { kind: 'Backup', name: 'a' } }, []],
    [{ 'spec.dataSourceRef': { kind: 'X', name: 'a', namespace: 'n' } }, []],
    [
      { 'spec.accessModes': ['ReadWriteOncePod', 'ReadWriteOnce', 'Odd'] },
      [
        'spec.accessModes: Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
        'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      ],
    ],
    [
      { 'spec.dataSourceRef': { kind: 'Backup' } },
      ['dataSource', 'dataSourceRef'].flatMap((name) => [
        `spec.${name}.name: Required value`,
        `spec.${name}: Invalid value: "Backup": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      ]),
    ],
    [
      {
        'spec.dataSource': { kind: 'PersistentVolumeClaim', name: 'a' },
        'spec.dataSourceRef': { kind: 'PersistentVolumeClaim', name: 'b' },
      },
      ['spec: Invalid value: "spec.dataSource": must match dataSourceRef'],
    ],
    [
      { 'spec.resources.requests.storage': '0', 'spec.volumeMode': 'Odd', 'spec.storageClassName': 'A' },
      [
        'spec.resources[storage]: Invalid value: "0": must be greater than zero',
        expect.stringMatching(/^spec\.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain/) as never,
        'spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"',
      ],
    ],
  ])('%j', (changes, expected) => {
    expect(claim.created(changes)).toEqual(expected);
  });

  const noted = 'volume.beta.kubernetes.io/storage-class';
  const immutable = 'spec: Forbidden: spec is immutable after creation except resources.requests for bound claims\n';
  it.each<[Changes, Changes, string[]]>([
    [{}, { 'spec.storageClassName': 'later' }, []],
    [{ 'metadata.annotations': { [noted]: 'a' } }, { 'spec.storageClassName': 'a' }, []],
    [{ 'metadata.annotations': { [noted]: 'a' } }, { 'spec.storageClassName': 'b' }, [immutable]],
    [
      { 'metadata.annotations': { [noted]: 'a' } },
      { 'metadata.annotations': { [noted]: 'b' } },
      [`metadata.annotations.${noted}: Invalid value: "b": field is immutable`],
    ],
    [{ 'spec.storageClassName': 'a' }, { 'spec.storageClassName': 'b' }, [immutable]],
    [
      { status: { phase: 'Bound' } },
      { 'spec.resources.requests.storage': '1Mi' },
      ['spec.resources.requests.storage: Forbidden: field can not be less than previous value'],
    ],
  ])('from %j by %j', (before, after, expected) => {
    expect(claim.updated(before, after)).toEqual(expected);
  });

  it('reports no negative capacity', () => {
    expect(claim.updated({}, { 'status.capacity': { storage: '-1' } }, 'status')).toEqual([
      'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
    ]);
  });
});

it('reserves options under the domains that the naming profile gives the product', () => {
  const names = namesOf('orch');
  const definition = loadScheme(names).resource('', 'v1', 'persistentvolumes');
  if (!definition) throw new Error('no volumes');
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    flexVolume: { driver: 'd', options: { 'x.orch.io/a': '', 'x.kubernetes.io/a': '' } },
  };
  const errors = [...kindRules(definition, names).validateCreate({ metadata: { name: 'a' }, spec })].flat();
  expect(errors.map(({ field }) => field)).toEqual(['spec.flexVolume.options[x.orch.io/a]']);
});
