import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, refusals } from '../testing/judged-pods.js';

describe('annotations', () => {
  it.each<[Changes]>([
    [
      {
        'metadata.annotations': {
          'kubernetes.io/config.mirror': 'x',
          'controller.kubernetes.io/pod-deletion-cost': '-008',
          'scheduler.alpha.kubernetes.io/tolerations': 'null',
          'seccomp.security.alpha.kubernetes.io/pod': 'docker/default',
          'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/a',
          'container.apparmor.security.beta.kubernetes.io/c': 'localhost/a',
        },
        'spec.nodeName': 'n',
        'spec.securityContext': { seccompProfile: { type: 'RuntimeDefault' } },
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { 'metadata.annotations': { 'kubernetes.io/config.mirror': 'x' } },
      [
        'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
      ],
    ],
    [
      { 'metadata.annotations': { 'controller.kubernetes.io/pod-deletion-cost': '+1' } },
      [
        'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      ],
    ],
    [
      { 'metadata.annotations': { 'controller.kubernetes.io/pod-deletion-cost': '2147483648' } },
      [
        'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "2147483648": must be a 32bit integer',
      ],
    ],
    [
      {
        'metadata.annotations': { 'scheduler.alpha.kubernetes.io/tolerations': '[{"key":"a b","operator":"Exists"}]' },
      },
      [`metadata.annotations.scheduler.alpha.kubernetes.io/tolerations[0].key: Invalid value: "a b": ${KEY_FORM}`],
    ],
    [
      { 'metadata.annotations': { 'seccomp.security.alpha.kubernetes.io/pod': 'x' } },
      [
        'metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": must be a valid seccomp profile',
      ],
    ],
    [
      { 'metadata.annotations': { 'container.seccomp.security.alpha.kubernetes.io/c': 'localhost//a/..' } },
      [
        'metadata.annotations.container.seccomp.security.alpha.kubernetes.io/c: Invalid value: "/a/..": must be a relative path',
        'metadata.annotations.container.seccomp.security.alpha.kubernetes.io/c: Invalid value: "/a/..": must not contain \'..\'',
      ],
    ],
    [
      { 'metadata.annotations': { 'container.apparmor.security.beta.kubernetes.io/d': 'x' } },
      [
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value: "d": container not found',
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value: "x": invalid AppArmor profile name: "x"',
      ],
    ],
    [
      {
        'metadata.annotations': { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
        'spec.securityContext': { seccompProfile: { type: 'RuntimeDefault' } },
      },
      ['spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match'],
    ],
    [
      {
        'metadata.annotations': { 'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/a' },
        'spec.containers.0.securityContext': { seccompProfile: { type: 'Localhost', localhostProfile: 'b' } },
      },
      [
        'spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match',
      ],
    ],
    [
      {
        'metadata.annotations': { 'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/a' },
        'spec.containers.0.securityContext': { seccompProfile: { type: 'Unconfined' } },
      },
      [
        'spec.containers[0].securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
