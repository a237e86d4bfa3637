import { describe, expect, it } from 'vitest';
import { type Changes, LABEL_FORM, refusals } from '../../testing/judged-pods.js';

describe('volumes', () => {
  it.each<[Changes]>([[{ 'spec.volumes': [{ name: 'a' }] }]])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { 'spec.volumes': [{ emptyDir: {} }, { name: 'A' }, { name: 'b' }, { name: 'b' }] },
      [
        'spec.volumes[0].name: Required value',
        `spec.volumes[1].name: Invalid value: "A": ${LABEL_FORM}`,
        'spec.volumes[3].name: Duplicate value: "b"',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', emptyDir: {}, hostPath: { path: '' }, cephfs: {}, downwardAPI: {}, gcePersistentDisk: {} },
        ],
      },
      [
        'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
        'spec.volumes[0].gcePersistentDisk: Forbidden: may not specify more than 1 volume type',
        'spec.volumes[0].cephFS: Forbidden: may not specify more than 1 volume type',
        'spec.volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type',
      ],
    ],
    [
      { 'spec.volumes': [{ name: 'v0', secret: {}, nfs: {} }] },
      [
        'spec.volumes[0].secret.secretName: Required value',
        'spec.volumes[0].nfs: Forbidden: may not specify more than 1 volume type',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
