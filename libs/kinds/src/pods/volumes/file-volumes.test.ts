import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, refusals } from '../../testing/judged-pods.js';

describe('volumes made of files', () => {
  it.each<[Changes]>([
    [
      {
        'spec.volumes': [
          { name: 'v0', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
          { name: 'v1', hostPath: { path: '/a..b', type: 'DirectoryOrCreate' } },
          { name: 'v2', gitRepo: { repository: 'r', directory: '.' } },
        ],
      },
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', secret: { secretName: 's', defaultMode: 0, items: [{ key: 'k', path: 'a/..b', mode: 511 }] } },
          { name: 'v1', configMap: { name: 'm', optional: true } },
        ],
      },
    ],
    [
      {
        'spec.volumes': [
          {
            name: 'v0',
            downwardAPI: {
              items: [
                { path: 'a', fieldRef: { fieldPath: "metadata.annotations['A']" } },
                {
                  path: 'b',
                  resourceFieldRef: { containerName: 'c', resource: 'limits.hugepages-2Mi', divisor: '1Mi' },
                },
              ],
            },
          },
        ],
      },
    ],
    [
      {
        'spec.serviceAccountName': 's',
        'spec.volumes': [
          {
            name: 'v0',
            projected: {
              sources: [
                { serviceAccountToken: { path: 't' } },
                { secret: { name: 's' } },
                { configMap: { name: 'm', items: [{ key: 'k', path: 'a' }] } },
                {},
              ],
            },
          },
          { name: 'v1', projected: {} },
        ],
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { 'spec.volumes': [{ name: 'v0', emptyDir: { sizeLimit: '-1' } }] },
      ['spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', hostPath: {} },
          { name: 'v1', hostPath: { path: '/a/../b', type: 'Folder' } },
        ],
      },
      [
        'spec.volumes[0].hostPath.path: Required value',
        'spec.volumes[1].hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
        'spec.volumes[1].hostPath.type: Unsupported value: "Folder": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', gitRepo: { directory: '/a' } },
          { name: 'v1', gitRepo: { repository: 'r', directory: 'a/..' } },
        ],
      },
      [
        'spec.volumes[0].gitRepo.repository: Required value',
        'spec.volumes[0].gitRepo.directory: Invalid value: "/a": must be a relative path',
        'spec.volumes[1].gitRepo.directory: Invalid value: "a/..": must not contain \'..\'',
      ],
    ],
    [
      {
        'spec.volumes': [
          { name: 'v0', secret: { defaultMode: 512, items: [{}] } },
          { name: 'v1', secret: { secretName: 's', items: [{ key: 'k', path: '/a', mode: -1 }] } },
        ],
      },
      [
        'spec.volumes[0].secret.secretName: Required value',
        'spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
        'spec.volumes[0].secret.items[0].key: Required value',
        'spec.volumes[0].secret.items[0].path: Required value',
        'spec.volumes[1].secret.items[0].path: Invalid value: "/a": must be a relative path',
        'spec.volumes[1].secret.items[0].mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
      ],
    ],
    [
      {
        'spec.volumes': [
          {
            name: 'v0',
            configMap: {
              defaultMode: -1,
              items: [
                { key: 'k', path: '..' },
                { key: 'k', path: '../a' },
                { key: 'k', path: '..a' },
              ],
            },
          },
        ],
      },
      [
        'spec.volumes[0].configMap.name: Required value',
        'spec.volumes[0].configMap.defaultMode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
        'spec.volumes[0].configMap.items[0].path: Invalid value: "..": must not contain \'..\'',
        'spec.volumes[0].configMap.items[0].path: Invalid value: "..": must not start with \'..\'',
        'spec.volumes[0].configMap.items[1].path: Invalid value: "../a": must not contain \'..\'',
        'spec.volumes[0].configMap.items[2].path: Invalid value: "..a": must not start with \'..\'',
      ],
    ],
    [
      {
        'spec.volumes': [
          {
            name: 'v0',
            downwardAPI: { defaultMode: 512, items: [{}, { path: 'a', fieldRef: { fieldPath: 'spec.nodeName' } }] },
          },
        ],
      },
      [
        'spec.volumes[0].downwardAPI.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
        'spec.volumes[0].downwardAPI.path: Required value',
        'spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
        'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      ],
    ],
    [
      {
        'spec.volumes': [
          {
            name: 'v0',
            downwardAPI: {
              items: [
                { path: 'a', fieldRef: { fieldPath: 'metadata.name' }, resourceFieldRef: { resource: 'limits.cpu' } },
                { path: 'b', resourceFieldRef: { resource: 'limits.cpu' } },
                { path: 'c', mode: 512, resourceFieldRef: { containerName: 'c', resource: 'limits.x', divisor: '1' } },
                { path: '/d', resourceFieldRef: { containerName: 'c', resource: 'limits.memory', divisor: '3' } },
                { path: 'e', fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } },
                { path: 'f', fieldRef: { fieldPath: "metadata.labels['a b']" } },
                { path: 'g', fieldRef: { fieldPath: "metadata.annotations['A B']" } },
                { path: 'h', fieldRef: { fieldPath: "spec.nodeName['a']" } },
                { path: 'i', fieldRef: { fieldPath: 'spec.containers' } },
                { path: 'j', fieldRef: {} },
              ],
            },
          },
        ],
      },
      [
        'spec.volumes[0].downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
        'spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value',
        'spec.volumes[0].downwardAPI.resourceFieldRef.resource: Unsupported value: "limits.x": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
        'spec.volumes[0].downwardAPI.mode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
        'spec.volumes[0].downwardAPI.path: Invalid value: "/d": must be a relative path',
        'spec.volumes[0].downwardAPI.resourceFieldRef.divisor: Invalid value: "limits.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
        'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
        `spec.volumes[0].downwardAPI.fieldRef: Invalid value: "a b": ${KEY_FORM}`,
        `spec.volumes[0].downwardAPI.fieldRef: Invalid value: "a b": ${KEY_FORM}`,
        "spec.volumes[0].downwardAPI.fieldRef.fieldPath: Invalid value: \"spec.nodeName['a']\": error converting fieldPath: field label does not support subscript: spec.nodeName['a']",
        'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Invalid value: "spec.containers": error converting fieldPath: field label not supported: spec.containers',
        'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Required value',
      ],
    ],
    [
      {
        'spec.serviceAccountName': 's',
        'spec.volumes': [
          {
            name: 'v0',
            projected: {
              defaultMode: 512,
              sources: [
                { secret: { items: [{ key: 'k', path: 'a' }] } },
                {
                  configMap: {
                    name: 'm',
                    items: [
                      { key: 'k', path: 'a' },
                      { key: 'k', path: '' },
                    ],
                  },
                },
                { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] } },
                { serviceAccountToken: { expirationSeconds: 599 } },
                { serviceAccountToken: { expirationSeconds: 4294967297, path: 't' }, secret: { name: 's' } },
                { configMap: {} },
              ],
            },
          },
        ],
      },
      [
        'spec.volumes[0].projected.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
        'spec.volumes[0].projected.sources[0].secret.name: Required value',
        'spec.volumes[0].projected: Invalid value: "m": conflicting duplicate paths',
        'spec.volumes[0].projected.sources[1].configMap.items[1].path: Required value',
        'spec.volumes[0].projected: Invalid value: "a": conflicting duplicate paths',
        'spec.volumes[0].projected.sources[3].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
        'spec.volumes[0].projected.path: Required value',
        'spec.volumes[0].projected.sources[4].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
        'spec.volumes[0].projected.sources[4]: Forbidden: may not specify more than 1 volume type',
        'spec.volumes[0].projected.sources[5].configMap.name: Required value',
      ],
    ],
    [
      { 'spec.volumes': [{ name: 'v0', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
