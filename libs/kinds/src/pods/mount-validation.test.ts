import { describe, expect, it } from 'vitest';
import { type Changes, refusals } from '../testing/judged-pods.js';

describe('mounts and devices', () => {
  it.each<[Changes]>([
    [
      {
        'spec.volumes': [
          { name: 'v0' },
          {
            name: 'v1',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
        'spec.containers.0.securityContext': { privileged: true },
        'spec.containers.0.volumeMounts': [
          { name: 'v0', mountPath: '/a', subPath: 'b', mountPropagation: 'Bidirectional' },
          { name: 'v0', mountPath: '/b', subPathExpr: '$(A)' },
        ],
        'spec.containers.0.volumeDevices': [{ name: 'v1', devicePath: '/dev/x' }],
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.volumes': [{ name: 'v0', emptyDir: {} }],
        'spec.containers.0.volumeMounts': [{}, { name: 'x', mountPath: '/a' }, { name: 'v0', mountPath: '/a' }],
      },
      [
        'spec.containers[0].volumeMounts[0].name: Required value',
        'spec.containers[0].volumeMounts[0].name: Not found: ""',
        'spec.containers[0].volumeMounts[0].mountPath: Required value',
        'spec.containers[0].volumeMounts[1].name: Not found: "x"',
        'spec.containers[0].volumeMounts[2].mountPath: Invalid value: "/a": must be unique',
      ],
    ],
    [
      {
        'spec.volumes': [{ name: 'v0', emptyDir: {} }],
        'spec.containers.0.volumeMounts': [
          { name: 'v0', mountPath: '/a', subPath: '/b', subPathExpr: '..' },
          { name: 'v0', mountPath: '/b', mountPropagation: 'Both' },
          { name: 'v0', mountPath: '/c', mountPropagation: 'Bidirectional' },
        ],
      },
      [
        'spec.containers[0].volumeMounts.subPath: Invalid value: "/b": must be a relative path',
        'spec.containers[0].volumeMounts[0].subPathExpr: Invalid value: "..": subPathExpr and subPath are mutually exclusive',
        'spec.containers[0].volumeMounts.subPathExpr: Invalid value: "..": must not contain \'..\'',
        'spec.containers[0].volumeMounts.mountPropagation: Unsupported value: "Both": supported values: "Bidirectional", "HostToContainer", "None"',
        'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', emptyDir: {} },
          { name: 'v1', persistentVolumeClaim: { claimName: 'p' } },
        ],
        'spec.containers.0.volumeDevices': [
          {},
          { name: 'v0', devicePath: '/a' },
          { name: 'v1', devicePath: '/a' },
          { name: 'v1', devicePath: '/../b' },
        ],
      },
      [
        'spec.containers[0].volumeDevices[0].name: Required value',
        'spec.containers[0].volumeDevices[0].name: Not found: ""',
        'spec.containers[0].volumeDevices[0].devicePath: Required value',
        'spec.containers[0].volumeDevices[1].name: Invalid value: "v0": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        'spec.containers[0].volumeDevices[2].devicePath: Invalid value: "/a": must be unique',
        'spec.containers[0].volumeDevices[3].name: Invalid value: "v1": must be unique',
        'spec.containers[0].volumeDevices[3].devicePath: Invalid value: "/../b": can not contain backsteps (\'..\')',
      ],
    ],
    [
      {
        'spec.volumes': [{ name: 'v0', persistentVolumeClaim: { claimName: 'p' } }],
        'spec.containers.0.volumeDevices': [{ name: 'v0', devicePath: '/a' }],
        'spec.containers.0.volumeMounts': [{ name: 'v0', mountPath: '/a' }],
      },
      [
        'spec.containers[0].volumeMounts[0].name: Invalid value: "v0": must not already exist in volumeDevices',
        'spec.containers[0].volumeMounts[0].mountPath: Invalid value: "/a": must not already exist as a path in volumeDevices',
        'spec.containers[0].volumeDevices[0].name: Invalid value: "v0": must not already exist in volumeMounts',
        'spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/a": must not already exist as a path in volumeMounts',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
