import { describe, expect, it } from 'vitest';
import { type Changes, stepRefusals } from '../testing/judged-pods.js';

describe('an update of a pod', () => {
  it.each<[Changes, Changes, string[]]>([
    [{}, { 'spec.containers.0.image': 'b:2' }, []],
    [{}, { 'spec.containers.0.image': '' }, ['spec.containers[0].image: Required value']],
    [
      {},
      { 'spec.containers.0.image': ' b' },
      ['spec.containers[0].image: Invalid value: " b": must not have leading or trailing whitespace'],
    ],
    [
      {},
      { 'spec.containers.1': { name: 'd', image: 'i:1' } },
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      {},
      { 'spec.initContainers': [{ name: 'd', image: 'i:1' }] },
      ['spec.initContainers: Forbidden: pod updates may not add or remove containers'],
    ],
    [{}, { 'spec.activeDeadlineSeconds': 5 }, []],
    [
      { 'spec.activeDeadlineSeconds': 5 },
      { 'spec.activeDeadlineSeconds': 6 },
      ['spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value'],
    ],
    [{ 'spec.activeDeadlineSeconds': 5 }, { 'spec.activeDeadlineSeconds': 4 }, []],
    [
      { 'spec.activeDeadlineSeconds': 5 },
      { 'spec.activeDeadlineSeconds': undefined },
      ['spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value'],
    ],
    [
      {},
      { 'spec.activeDeadlineSeconds': -1 },
      [
        'spec.activeDeadlineSeconds: Invalid value: -1: must be between 1 and 2147483647, inclusive',
        'spec.activeDeadlineSeconds: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      ],
    ],
    [{}, { 'spec.tolerations': [{ key: 'a', operator: 'Exists' }] }, []],
    [
      { 'spec.tolerations': [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
      { 'spec.tolerations': [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }] },
      [],
    ],
    [
      { 'spec.tolerations': [{ key: 'a', operator: 'Exists' }] },
      { 'spec.tolerations': [{ key: 'b', operator: 'Exists' }] },
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      { 'spec.tolerations': [{ key: 'a', operator: 'Exists' }] },
      { 'spec.tolerations': undefined },
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [{ 'spec.schedulingGates': [{ name: 'a.b/c' }] }, { 'spec.schedulingGates': undefined }, []],
    [
      { 'spec.schedulingGates': [{ name: 'a.b/c' }] },
      { 'spec.schedulingGates': [{ name: 'x' }] },
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x'"],
    ],
    [
      {},
      { 'spec.schedulingGates': [{ name: 'a.b/c' }] },
      ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a.b/c'"],
    ],
    [
      {},
      { 'spec.nodeName': 'n' },
      [
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: nodeName',
      ],
    ],
    [
      {},
      { 'spec.nodeSelector': { a: 'b' } },
      [
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: nodeSelector',
      ],
    ],
    [
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
            },
          },
        },
      },
      {
        'spec.affinity': {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'a', operator: 'Exists' },
                    { key: 'b', operator: 'Exists' },
                  ],
                },
              ],
            },
          },
        },
      },
      [
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: affinity',
      ],
    ],
    [
      {},
      { 'spec.terminationGracePeriodSeconds': 1 },
      [
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: terminationGracePeriodSeconds',
      ],
    ],
    [
      {},
      { 'spec.containers.0.resources': { limits: { cpu: '1' } } },
      [
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: containers',
      ],
    ],
    [
      {},
      { 'spec.ephemeralContainers': [{ name: 'e', image: 'i:1' }] },
      [
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\nchanged: ephemeralContainers',
      ],
    ],
    [
      {},
      { 'metadata.annotations': { 'kubernetes.io/config.mirror': 'x' } },
      [
        'metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation',
        'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      ],
    ],
    [
      { 'metadata.annotations': { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } },
      { 'metadata.annotations': { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' } },
      [
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: Forbidden: may not remove or update AppArmor annotations',
      ],
    ],
    [
      {},
      { 'metadata.annotations': { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' } },
      [
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: Forbidden: may not add AppArmor annotations',
      ],
    ],
    [
      { 'spec.nodeName': 'n', 'metadata.annotations': { 'kubernetes.io/config.mirror': 'x' } },
      { 'metadata.annotations': {} },
      ['metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation'],
    ],
    [
      {},
      { 'metadata.annotations': { 'controller.kubernetes.io/pod-deletion-cost': 'x' } },
      ['metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "x": must be a 32bit integer'],
    ],
    [
      { 'metadata.annotations': { 'controller.kubernetes.io/pod-deletion-cost': 'x' } },
      { 'metadata.annotations': { 'controller.kubernetes.io/pod-deletion-cost': 'y' } },
      [],
    ],
  ])('%j: %j', (before, after, causes) => {
    expect(stepRefusals('', before, after)).toEqual(causes);
  });
});
