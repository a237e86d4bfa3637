import { describe, expect, it } from 'vitest';
import { type Changes, KEY_FORM, LABEL_FORM, refusals, SUBDOMAIN_FORM, VALUE_FORM } from '../testing/judged-pods.js';

describe('members that stand alone', () => {
  it.each<[Changes]>([
    [
      {
        'spec.serviceAccountName': 'a.b',
        'spec.nodeName': 'n.example.com',
        'spec.hostname': 'h',
        'spec.subdomain': 's',
        'spec.priorityClassName': 'p',
        'spec.runtimeClassName': 'r',
        'spec.preemptionPolicy': 'Never',
        'spec.activeDeadlineSeconds': 2147483647,
        'spec.setHostnameAsFQDN': true,
        'spec.enableServiceLinks': false,
        'spec.imagePullSecrets': [{}, { name: 'A b' }],
        'spec.schedulerName': 'A b',
        'spec.terminationGracePeriodSeconds': -5,
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.serviceAccountName': 'A',
        'spec.nodeName': 'A',
        'spec.hostname': 'a.b',
        'spec.subdomain': 'A',
        'spec.priorityClassName': 'A',
        'spec.runtimeClassName': '',
        'spec.preemptionPolicy': 'x',
        'spec.activeDeadlineSeconds': 0,
      },
      [
        `spec.serviceAccountName: Invalid value: "A": ${SUBDOMAIN_FORM}`,
        `spec.nodeName: Invalid value: "A": ${SUBDOMAIN_FORM}`,
        'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
        'spec.hostname: Invalid value: "a.b": must not contain dots',
        `spec.subdomain: Invalid value: "A": ${LABEL_FORM}`,
        `spec.priorityClassName: Invalid value: "A": ${SUBDOMAIN_FORM}`,
        `spec.runtimeClassName: Invalid value: "": ${SUBDOMAIN_FORM}`,
        'spec.preemptionPolicy: Unsupported value: "x": supported values: "PreemptLowerPriority", "Never"',
      ],
    ],
    [
      {
        'spec.activeDeadlineSeconds': 2147483648,
        'spec.preemptionPolicy': '',
        'spec.nodeSelector': { 'a b': 'c', d: 'e f' },
        'spec.restartPolicy': 'x',
        'spec.dnsPolicy': 'y',
        'spec.runtimeClassName': 'A',
      },
      [
        'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
        'spec.dnsPolicy: Unsupported value: "y": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
        `spec.nodeSelector: Invalid value: "a b": ${KEY_FORM}`,
        `spec.nodeSelector: Invalid value: "e f": ${VALUE_FORM}`,
        'spec.activeDeadlineSeconds: Invalid value: 2147483648: must be between 1 and 2147483647, inclusive',
        `spec.runtimeClassName: Invalid value: "A": ${SUBDOMAIN_FORM}`,
        'spec.preemptionPolicy: Required value',
      ],
    ],
    [
      { 'spec.imagePullSecrets': [{ name: '' }, {}], 'spec.hostname': 'A' },
      [`spec.hostname: Invalid value: "A": ${LABEL_FORM}`],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
