import { describe, expect, it } from 'vitest';
import { type Changes, refusals } from '../testing/judged-pods.js';

describe('systems and their network', () => {
  it.each<[Changes]>([
    [
      {
        'spec.hostNetwork': true,
        'spec.hostPID': true,
        'spec.hostUsers': false,
        'spec.containers.0.ports': [{ containerPort: 80 }],
      },
    ],
    [
      {
        'spec.os': { name: 'windows' },
        'spec.securityContext': { windowsOptions: {}, runAsNonRoot: true, sysctls: [] },
      },
    ],
    [{ 'spec.os': { name: 'linux' }, 'spec.securityContext': { runAsUser: 1 } }],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.hostNetwork': true,
        'spec.containers.0.ports': [{ containerPort: 80, hostPort: 81 }, { containerPort: 82 }],
      },
      [
        'spec.containers[0].ports[0].containerPort: Invalid value: 80: must match `hostPort` when `hostNetwork` is true',
      ],
    ],
    [{ 'spec.os': {} }, ['spec.os.name: Required value: cannot be empty']],
    [{ 'spec.os': { name: 'plan9' } }, ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"']],
    [
      {
        'spec.os': { name: 'linux' },
        'spec.securityContext': { windowsOptions: {} },
        'spec.containers.0.securityContext': { windowsOptions: {} },
      },
      [
        'spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
        'spec.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
      ],
    ],
    [
      {
        'spec.os': { name: 'windows' },
        'spec.hostPID': true,
        'spec.hostIPC': true,
        'spec.shareProcessNamespace': false,
        'spec.securityContext': {
          seLinuxOptions: {},
          seccompProfile: { type: 'Unconfined' },
          fsGroup: 1,
          fsGroupChangePolicy: 'Always',
          sysctls: [{ name: 'a', value: 'b' }],
          runAsUser: 1,
          runAsGroup: 1,
          supplementalGroups: [1],
        },
        'spec.containers.0.securityContext': {
          seLinuxOptions: {},
          seccompProfile: { type: 'Unconfined' },
          capabilities: {},
          readOnlyRootFilesystem: false,
          privileged: false,
          allowPrivilegeEscalation: true,
          procMount: 'Default',
          runAsUser: 1,
          runAsGroup: 1,
        },
      },
      [
        'spec.securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod',
        'spec.hostPID: Forbidden: cannot be set for a windows pod',
        'spec.hostIPC: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.seccompProfile: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.fsGroupChangePolicy: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.sysctls: Forbidden: cannot be set for a windows pod',
        'spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.runAsGroup: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.seccompProfile: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.capabilities: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.readOnlyRootFilesystem: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.privileged: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.allowPrivilegeEscalation: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.procMount: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.runAsGroup: Forbidden: cannot be set for a windows pod',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
