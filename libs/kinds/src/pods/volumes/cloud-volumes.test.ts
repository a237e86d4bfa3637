import { describe, expect, it } from 'vitest';
import { type Changes, refusals } from '../../testing/judged-pods.js';

describe('rented disks', () => {
  it.each<[Changes]>([
    [
      {
        'spec.volumes': [
          { name: 'v0', gcePersistentDisk: { pdName: 'd' } },
          { name: 'v1', awsElasticBlockStore: { volumeID: 'v', partition: 255 } },
          { name: 'v2', azureFile: { secretName: 's', shareName: 'n' } },
          { name: 'v3', azureDisk: { diskName: 'd', diskURI: 'https://x' } },
          {
            name: 'v4',
            azureDisk: { diskName: 'd', diskURI: '/subscriptions/x', kind: 'Managed', cachingMode: 'None' },
          },
          { name: 'v5', cinder: { volumeID: 'v' } },
          { name: 'v6', vsphereVolume: { volumePath: 'p' } },
          { name: 'v7', photonPersistentDisk: { pdID: 'p' } },
          { name: 'v8', portworxVolume: { volumeID: 'v' } },
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
          { name: 'v0', gcePersistentDisk: { partition: 256 } },
          { name: 'v1', awsElasticBlockStore: { partition: -1 } },
        ],
      },
      [
        'spec.volumes[0].persistentDisk.pdName: Required value',
        'spec.volumes[0].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
        'spec.volumes[1].awsElasticBlockStore.volumeID: Required value',
        'spec.volumes[1].awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', azureFile: {} },
          { name: 'v1', azureDisk: {} },
        ],
      },
      [
        'spec.volumes[0].azureFile.secretName: Required value',
        'spec.volumes[0].azureFile.shareName: Required value',
        'spec.volumes[1].azureDisk.diskName: Required value',
        'spec.volumes[1].azureDisk.diskURI: Required value',
        'spec.volumes[1].azureDisk.diskURI: Unsupported value: "": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', azureDisk: { diskName: 'd', diskURI: 'x', cachingMode: 'Some', kind: 'Other' } },
          { name: 'v1', azureDisk: { diskName: 'd', diskURI: 'https://x', kind: 'Managed' } },
        ],
      },
      [
        'spec.volumes[0].azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWrite"',
        'spec.volumes[0].azureDisk.kind: Unsupported value: "Other": supported values: "Dedicated", "Managed", "Shared"',
        'spec.volumes[0].azureDisk.diskURI: Unsupported value: "x": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
        'spec.volumes[1].azureDisk.diskURI: Unsupported value: "https://x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', cinder: { secretRef: {} } },
          { name: 'v1', vsphereVolume: {} },
          { name: 'v2', photonPersistentDisk: {} },
          { name: 'v3', portworxVolume: {} },
        ],
      },
      [
        'spec.volumes[0].cinder.volumeID: Required value',
        'spec.volumes[0].cinder.secretRef.name: Required value',
        'spec.volumes[1].vsphereVolume.volumePath: Required value',
        'spec.volumes[2].photonPersistentDisk.pdID: Required value',
        'spec.volumes[3].portworxVolume.volumeID: Required value',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
