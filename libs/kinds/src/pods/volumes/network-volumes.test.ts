import { describe, expect, it } from 'vitest';
import { type Changes, LABEL_FORM, refusals } from '../../testing/judged-pods.js';

describe('volumes in the network', () => {
  it.each<[Changes]>([
    [
      {
        'spec.volumes': [
          { name: 'v0', nfs: { server: 's', path: '/a' } },
          {
            name: 'v1',
            iscsi: {
              targetPortal: 't',
              iqn: 'eui.0123456789abcdef',
              lun: 255,
              initiatorName: 'naa.0123456789abcdef0123456789abcdef',
            },
          },
          { name: 'v2', fc: { wwids: ['a'] } },
          { name: 'v3', fc: { targetWWNs: ['a'], lun: 0 } },
        ],
      },
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', rbd: { monitors: ['m'], image: 'i' } },
          { name: 'v1', cephfs: { monitors: ['m'] } },
          { name: 'v2', glusterfs: { endpoints: 'e', path: 'p' } },
          { name: 'v3', quobyte: { registry: 'a:1,[::1]:2', volume: 'v' } },
          { name: 'v4', flocker: { datasetUUID: 'u' } },
          { name: 'v5', storageos: { volumeName: 'v' } },
          { name: 'v6', scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 's' } } },
        ],
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.volumes': [
          { name: 'v0', nfs: {} },
          { name: 'v1', nfs: { server: 's', path: 'a' } },
        ],
      },
      [
        'spec.volumes[0].nfs.server: Required value',
        'spec.volumes[0].nfs.path: Required value',
        'spec.volumes[0].nfs.path: Invalid value: "": must be an absolute path',
        'spec.volumes[1].nfs.path: Invalid value: "a": must be an absolute path',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', iscsi: { lun: 256, chapAuthSession: true } },
          { name: 'v1', iscsi: { targetPortal: 't', iqn: 'abc', lun: -1 } },
        ],
      },
      [
        'spec.volumes[0].iscsi.targetPortal: Required value',
        'spec.volumes[0].iscsi.iqn: Required value',
        'spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
        'spec.volumes[0].iscsi.secretRef: Required value',
        'spec.volumes[1].iscsi.iqn: Invalid value: "abc": must be valid format starting with iqn, eui, or naa',
        'spec.volumes[1].iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', iscsi: { targetPortal: 't', iqn: 'iqn.2000', lun: 0 } },
          { name: 'v1', iscsi: { targetPortal: 't', iqn: 'eui.0', lun: 0 } },
          { name: 'v2', iscsi: { targetPortal: 't', iqn: 'naa.0', lun: 0 } },
        ],
      },
      [
        'spec.volumes[0].iscsi.iqn: Invalid value: "iqn.2000": must be valid format',
        'spec.volumes[1].iscsi.iqn: Invalid value: "eui.0": must be valid format',
        'spec.volumes[2].iscsi.iqn: Invalid value: "naa.0": must be valid format',
      ],
    ],
    [
      {
        'spec.volumes': [
          {
            name: 'v0',
            iscsi: {
              targetPortal: 't',
              iqn: 'iqn.2015-02.example.com:test',
              lun: 0,
              chapAuthDiscovery: true,
              initiatorName: 'x',
            },
          },
        ],
      },
      [
        'spec.volumes[0].iscsi.secretRef: Required value',
        'spec.volumes[0].iscsi.initiatorname: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
      ],
    ],
    [
      {
        'spec.volumes': [
          {
            name: 'v0',
            iscsi: {
              targetPortal: `${'x'.repeat(70)}`,
              iqn: 'iqn.2015-02.example.com:test',
              lun: 0,
              initiatorName: 'iqn.2015-02.example.com:init',
            },
          },
        ],
      },
      [
        'spec.volumes[0].name: Invalid value: "v0": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
      ],
    ],
    [
      {
        'spec.volumes': [
          {
            name: 'v0',
            iscsi: { targetPortal: 't', iqn: 'iqn.2015-02.example.com:test', lun: 0, initiatorName: 'iqn.bad' },
          },
        ],
      },
      ['spec.volumes[0].iscsi.initiatorname: Invalid value: "iqn.bad": must be valid format'],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', fc: {} },
          { name: 'v1', fc: { targetWWNs: ['a'], wwids: ['b'] } },
          { name: 'v2', fc: { targetWWNs: ['a'], lun: 256 } },
        ],
      },
      [
        'spec.volumes[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both',
        'spec.volumes[1].fc.targetWWNs: Invalid value: []string{"a"}: targetWWNs and wwids can not be specified simultaneously',
        'spec.volumes[1].fc.lun: Required value: lun is required if targetWWNs is specified',
        'spec.volumes[2].fc.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', rbd: {} },
          { name: 'v1', cephfs: {} },
          { name: 'v2', glusterfs: {} },
          { name: 'v3', quobyte: {} },
        ],
      },
      [
        'spec.volumes[0].rbd.monitors: Required value',
        'spec.volumes[0].rbd.image: Required value',
        'spec.volumes[1].cephfs.monitors: Required value',
        'spec.volumes[2].glusterfs.endpoints: Required value',
        'spec.volumes[2].glusterfs.path: Required value',
        'spec.volumes[3].quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas',
        'spec.volumes[3].quobyte.volume: Required value',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', quobyte: { registry: 'a:1,b', volume: 'v' } },
          { name: 'v1', quobyte: { registry: 'a:1', tenant: `${'x'.repeat(65)}`, volume: 'v' } },
        ],
      },
      [
        'spec.volumes[0].quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
        'spec.volumes[1].quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', flocker: {} },
          { name: 'v1', flocker: { datasetName: 'a/b', datasetUUID: 'u' } },
        ],
      },
      [
        'spec.volumes[0].flocker: Required value: one of datasetName and datasetUUID is required',
        'spec.volumes[1].flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
        'spec.volumes[1].flocker.datasetName: Invalid value: "a/b": must not contain \'/\'',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', storageos: {} },
          { name: 'v1', storageos: { volumeName: 'A', volumeNamespace: 'B', secretRef: {} } },
        ],
      },
      [
        'spec.volumes[0].storageos.volumeName: Required value',
        `spec.volumes[1].storageos.volumeName: Invalid value: "A": ${LABEL_FORM}`,
        `spec.volumes[1].storageos.volumeNamespace: Invalid value: "B": ${LABEL_FORM}`,
        'spec.volumes[1].storageos.secretRef.name: Required value',
      ],
    ],
    [
      { 'spec.volumes': [{ name: 'v0', scaleIO: {} }] },
      [
        'spec.volumes[0].scaleIO.gateway: Required value',
        'spec.volumes[0].scaleIO.system: Required value',
        'spec.volumes[0].scaleIO.volumeName: Required value',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
