import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, refusals, SUBDOMAIN_FORM } from '../../testing/judged-pods.js';

describe('volumes of drivers and claims', () => {
  it.each<[Changes]>([
    [
      {
        'spec.volumes': [
          { name: 'v0', csi: { driver: 'Ebs.csi.aws.com', nodePublishSecretRef: { name: 's' } } },
          { name: 'v1', flexVolume: { driver: 'd', options: { 'example.com/a': 'b', akubernetes: '' } } },
          { name: 'v2', persistentVolumeClaim: { claimName: 'p' } },
          {
            name: 'v3',
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { labels: { a: 'b' }, creationTimestamp: null },
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '1Gi' } },
                  volumeMode: 'Block',
                  storageClassName: '',
                },
              },
            },
          },
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
          { name: 'v0', csi: {} },
          { name: 'v1', csi: { driver: `${'x'.repeat(63)}a`, nodePublishSecretRef: {} } },
          { name: 'v2', csi: { driver: 'a_b', nodePublishSecretRef: { name: 'A' } } },
        ],
      },
      [
        'spec.volumes[0].csi.driver: Required value',
        `spec.volumes[0].csi.driver: Invalid value: "": ${SUBDOMAIN_FORM}`,
        'spec.volumes[1].csi.driver: Too long: must have at most 63 bytes',
        'spec.volumes[1].csi.nodePublishSecretRef.name: Required value',
        `spec.volumes[2].csi.driver: Invalid value: "a_b": ${SUBDOMAIN_FORM}`,
        `spec.volumes[2].csi.name: Invalid value: "A": ${SUBDOMAIN_FORM}`,
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', flexVolume: {} },
          { name: 'v1', flexVolume: { driver: 'd', options: { 'x.kubernetes.io/a': '1' } } },
        ],
      },
      [
        'spec.volumes[0].flexVolume.driver: Required value',
        'spec.volumes[1].flexVolume.options[x.kubernetes.io/a]: Invalid value: "x.kubernetes.io/a": kubernetes.io and k8s.io namespaces are reserved',
      ],
    ],
    [
      { 'spec.volumes': [{ name: 'v0', flexVolume: { driver: 'd', options: { 'K8S.io': '1' } } }] },
      [
        'spec.volumes[0].flexVolume.options[K8S.io]: Invalid value: "K8S.io": kubernetes.io and k8s.io namespaces are reserved',
      ],
    ],
    [
      { 'spec.volumes': [{ name: 'v0', persistentVolumeClaim: {} }] },
      ['spec.volumes[0].persistentVolumeClaim.claimName: Required value'],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', ephemeral: {} },
          {
            name: 'v1',
            ephemeral: {
              volumeClaimTemplate: { metadata: { name: 'n', finalizers: ['f/x'], labels: { 'a b': 'c' } }, spec: {} },
            },
          },
        ],
      },
      [
        'spec.volumes[0].ephemeral.volumeClaimTemplate: Required value',
        `spec.volumes[1].ephemeral.volumeClaimTemplate.metadata.labels: Invalid value: "a b": ${KEY_FORM}`,
        'spec.volumes[1].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
        'spec.volumes[1].ephemeral.volumeClaimTemplate.metadata.finalizers: Forbidden: cannot be set',
        'spec.volumes[1].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
        'spec.volumes[1].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
      ],
    ],
    [
      {
        'spec.volumes': [
          {
            name: 'e',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
          { name: 'p', persistentVolumeClaim: { claimName: 'a-e' } },
        ],
      },
      [
        'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "a-e": must not reference a PVC that gets created for an ephemeral volume',
      ],
    ],
    [
      {
        'metadata.name': `${'a'.repeat(253)}`,
        'spec.volumes': [
          {
            name: 'e',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
      },
      [
        `spec.volumes[0].name: Invalid value: "e": PVC name "${'a'.repeat(253)}-e": must be no more than 253 characters`,
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
