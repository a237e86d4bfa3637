import { describe, expect, it } from 'vitest';
import { type Changes, refusals, SUBDOMAIN_FORM } from '../testing/judged-pods.js';

describe('variables', () => {
  it.each<[Changes]>([
    [
      {
        'spec.containers.0.env': [
          { name: 'A.b-C_1', value: '' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'spec.host' } } },
          { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          { name: 'D', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          { name: 'E', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } },
        ],
        'spec.containers.0.envFrom': [{ prefix: 'P_', configMapRef: { name: 'm-' } }],
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      { 'spec.containers.0.env': [{}, { name: '1' }, { name: '..' }, { name: '=' }, { name: 'a', valueFrom: {} }] },
      [
        'spec.containers[0].env[0].name: Required value',
        "spec.containers[0].env[1].name: Invalid value: \"1\": a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
        'spec.containers[0].env[2].name: Invalid value: "..": must not be \'..\'',
        "spec.containers[0].env[3].name: Invalid value: \"=\": a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
        'spec.containers[0].env[4].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      ],
    ],
    [
      {
        'spec.containers.0.env': [
          { name: 'a', value: 'v', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 's', key: 'k' } } },
        ],
      },
      [
        'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
        'spec.containers[0].env[1].valueFrom: Invalid value: "": may not have more than one field specified at a time',
      ],
    ],
    [
      {
        'spec.containers.0.env': [
          { name: 'a', valueFrom: { fieldRef: {} } },
          { name: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } },
          { name: 'c', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } },
          { name: 'd', valueFrom: { fieldRef: { fieldPath: 'x' } } },
        ],
      },
      [
        'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Required value',
        'spec.containers[0].env[1].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.podIP", "status.podIPs"',
        'spec.containers[0].env[2].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.podIP", "status.podIPs"',
        'spec.containers[0].env[3].valueFrom.fieldRef.fieldPath: Invalid value: "x": error converting fieldPath: field label not supported: x',
      ],
    ],
    [
      {
        'spec.containers.0.env': [
          { name: 'a', valueFrom: { resourceFieldRef: {} } },
          { name: 'b', valueFrom: { resourceFieldRef: { resource: 'cpu' } } },
          { name: 'c', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } },
          { name: 'd', valueFrom: { resourceFieldRef: { resource: 'requests.hugepages-2Mi', divisor: '2' } } },
          { name: 'e', valueFrom: { resourceFieldRef: { resource: 'limits.ephemeral-storage', divisor: '2' } } },
        ],
      },
      [
        'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Required value',
        'spec.containers[0].env[1].valueFrom.resourceFieldRef.resource: Unsupported value: "cpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
        'spec.containers[0].env[2].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
        'spec.containers[0].env[3].valueFrom.resourceFieldRef.divisor: Invalid value: "requests.hugepages-2Mi": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages resource',
        'spec.containers[0].env[4].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.ephemeral-storage": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource',
      ],
    ],
    [
      {
        'spec.containers.0.env': [
          { name: 'a', valueFrom: { configMapKeyRef: {} } },
          { name: 'b', valueFrom: { secretKeyRef: { name: 'A', key: 'a/b' } } },
        ],
      },
      [
        `spec.containers[0].env[0].valueFrom.configMapKeyRef.name: Invalid value: "": ${SUBDOMAIN_FORM}`,
        'spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Required value',
        `spec.containers[0].env[1].valueFrom.secretKeyRef.name: Invalid value: "A": ${SUBDOMAIN_FORM}`,
        "spec.containers[0].env[1].valueFrom.secretKeyRef.key: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ],
    ],
    [
      {
        'spec.containers.0.envFrom': [
          {},
          { prefix: '1', configMapRef: {}, secretRef: { name: 'A' } },
          { secretRef: {} },
        ],
      },
      [
        'spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
        "spec.containers[0].envFrom[1].prefix: Invalid value: \"1\": a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
        'spec.containers[0].envFrom[1].configMapRef.name: Required value',
        `spec.containers[0].envFrom[1].secretRef.name: Invalid value: "A": ${SUBDOMAIN_FORM}`,
        'spec.containers[0].envFrom: Invalid value: "": may not have more than one field specified at a time',
        'spec.containers[0].envFrom[2].secretRef.name: Required value',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
