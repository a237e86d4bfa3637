import { describe, expect, it } from 'vitest';
import { type Changes, refusals, SUBDOMAIN_FORM } from '../testing/judged-pods.js';

describe('security contexts', () => {
  it.each<[Changes]>([
    [
      {
        'spec.securityContext': {
          runAsUser: 0,
          runAsGroup: 2147483647,
          fsGroup: 0,
          supplementalGroups: [0],
          fsGroupChangePolicy: 'OnRootMismatch',
          sysctls: [{ name: 'net.ipv4/a-b_c', value: '1' }],
          seccompProfile: { type: 'Localhost', localhostProfile: 'a/b' },
        },
        'spec.containers.0.securityContext': {
          privileged: true,
          procMount: 'Other',
          allowPrivilegeEscalation: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
    [
      {
        'spec.hostNetwork': true,
        'spec.securityContext': {
          windowsOptions: {
            hostProcess: true,
            gmsaCredentialSpecName: 'a.b',
            gmsaCredentialSpec: 'x',
            runAsUserName: 'NT AUTHORITY\\SYSTEM',
          },
        },
      },
    ],
    [{ 'spec.containers.0.securityContext': { windowsOptions: { runAsUserName: 'example.com\\u' } } }],
    [{ 'spec.containers.0.securityContext': { capabilities: { add: ['CAP_SYS_ADMIN'] } } }],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.securityContext': {
          runAsUser: -1,
          runAsGroup: 2147483648,
          fsGroup: -5,
          supplementalGroups: [0, -1],
          fsGroupChangePolicy: 'Some',
          sysctls: [{ name: '' }, { name: 'A.b' }, { name: 'a.b' }, { name: 'a.b' }, { name: `${'x'.repeat(254)}` }],
        },
      },
      [
        'spec.securityContext.fsGroup: Invalid value: -5: must be between 0 and 2147483647, inclusive',
        'spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'spec.securityContext.runAsGroup: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive',
        'spec.securityContext.supplementalGroups[1]: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'spec.securityContext.sysctls[0].name: Required value',
        'spec.securityContext.sysctls[1].name: Invalid value: "A.b": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
        'spec.securityContext.sysctls[3].name: Duplicate value: "a.b"',
        `spec.securityContext.sysctls[4].name: Invalid value: "${'x'.repeat(254)}": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`,
        'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Some": supported values: "Always", "OnRootMismatch"',
      ],
    ],
    [
      { 'spec.securityContext': { seccompProfile: {} } },
      ['spec.securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set'],
    ],
    [
      {
        'spec.securityContext': { seccompProfile: { type: 'Localhost' } },
        'spec.containers.0.securityContext': { seccompProfile: { type: 'Localhost', localhostProfile: '/a/..' } },
      },
      [
        'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "/a/..": must be a relative path',
        'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "/a/..": must not contain \'..\'',
        'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
      ],
    ],
    [
      {
        'spec.securityContext': { seccompProfile: { type: 'Some' } },
        'spec.containers.0.securityContext': { seccompProfile: { type: 'Unconfined', localhostProfile: 'a' } },
      },
      [
        'spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: core.SeccompProfile{Type:"Unconfined", LocalhostProfile:(*string)(0xc000000000)}: can only be set when seccomp type is Localhost',
        'spec.securityContext.seccompProfile.type: Unsupported value: "Some": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
    [
      {
        'spec.containers.0.securityContext': {
          runAsUser: -1,
          runAsGroup: -1,
          privileged: true,
          allowPrivilegeEscalation: false,
          capabilities: { add: ['CAP_SYS_ADMIN', 'NET_ADMIN'] },
        },
      },
      [
        'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'spec.containers[0].securityContext.runAsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'spec.containers[0].securityContext: Invalid value: core.SecurityContext{Capabilities:(*core.Capabilities)(0xc000000000), Privileged:(*bool)(0xc000000000), SELinuxOptions:(*core.SELinuxOptions)(nil), WindowsOptions:(*core.WindowsSecurityContextOptions)(nil), RunAsUser:(*int64)(0xc000000000), RunAsGroup:(*int64)(0xc000000000), RunAsNonRoot:(*bool)(nil), ReadOnlyRootFilesystem:(*bool)(nil), AllowPrivilegeEscalation:(*bool)(0xc000000000), ProcMount:(*core.ProcMountType)(nil), SeccompProfile:(*core.SeccompProfile)(nil)}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
        'spec.containers[0].securityContext: Invalid value: core.SecurityContext{Capabilities:(*core.Capabilities)(0xc000000000), Privileged:(*bool)(0xc000000000), SELinuxOptions:(*core.SELinuxOptions)(nil), WindowsOptions:(*core.WindowsSecurityContextOptions)(nil), RunAsUser:(*int64)(0xc000000000), RunAsGroup:(*int64)(0xc000000000), RunAsNonRoot:(*bool)(nil), ReadOnlyRootFilesystem:(*bool)(nil), AllowPrivilegeEscalation:(*bool)(0xc000000000), ProcMount:(*core.ProcMountType)(nil), SeccompProfile:(*core.SeccompProfile)(nil)}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      ],
    ],
    [
      { 'spec.hostPID': true, 'spec.shareProcessNamespace': true },
      [
        'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
      ],
    ],
    [
      {
        'spec.securityContext': {
          windowsOptions: { gmsaCredentialSpecName: 'A', gmsaCredentialSpec: '', runAsUserName: '' },
        },
      },
      [
        `spec.securityContext.windowsOptions.gmsaCredentialSpecName: Invalid value: "A": ${SUBDOMAIN_FORM}`,
        'spec.securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
        'spec.securityContext.windowsOptions.runAsUserName: Invalid value: "": runAsUserName cannot be an empty string',
      ],
    ],
    [
      { 'spec.containers.0.securityContext': { windowsOptions: { runAsUserName: 'a\\b\\c' } } },
      [
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
      ],
    ],
    [
      { 'spec.containers.0.securityContext': { windowsOptions: { runAsUserName: 'a:b\\' } } },
      [
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a:b\\\\": runAsUserName\'s Domain doesn\'t match the NetBios nor the DNS format',
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a:b\\\\": runAsUserName\'s User cannot be empty',
      ],
    ],
    [
      {
        'spec.containers.0.securityContext': {
          windowsOptions: { runAsUserName: `${'x'.repeat(256)}\\${'x'.repeat(105)}` },
        },
      },
      [
        `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "${'x'.repeat(256)}\\\\${'x'.repeat(105)}": runAsUserName's Domain length must be under 256 characters`,
        `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "${'x'.repeat(256)}\\\\${'x'.repeat(105)}": runAsUserName's Domain doesn't match the NetBios nor the DNS format`,
        `spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "${'x'.repeat(256)}\\\\${'x'.repeat(105)}": runAsUserName's User length must not be longer than 104 characters`,
      ],
    ],
    [
      { 'spec.containers.0.securityContext': { windowsOptions: { runAsUserName: '. .' } } },
      [
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: ". .": runAsUserName\'s User cannot contain only periods or spaces',
      ],
    ],
    [
      { 'spec.containers.0.securityContext': { windowsOptions: { runAsUserName: 'a\u0001' } } },
      [
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a\\x01": runAsUserName cannot contain control characters',
      ],
    ],
    [
      { 'spec.containers.0.securityContext': { windowsOptions: { runAsUserName: 'a@b' } } },
      [
        'spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: "a@b": runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]',
      ],
    ],
    [
      {
        'spec.securityContext': { windowsOptions: { hostProcess: true } },
        'spec.containers.0.securityContext': { windowsOptions: { hostProcess: false } },
      },
      [
        'spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true',
      ],
    ],
    [
      {
        'spec.containers.0.securityContext': { windowsOptions: { hostProcess: true } },
        'spec.initContainers': [{ name: 'i', image: 'i:1' }],
      },
      [
        'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
        'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
