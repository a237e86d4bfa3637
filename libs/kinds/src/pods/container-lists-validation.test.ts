import { describe, expect, it } from 'vitest';
import { type Changes, LABEL_FORM, refusals } from '../testing/judged-pods.js';

describe('containers', () => {
  it.each<[Changes]>([
    [
      {
        'spec.initContainers': [
          { name: 'i', image: 'i:1', ports: [{ containerPort: 1, hostPort: 1 }] },
          { name: 'j', image: 'i:1', ports: [{ containerPort: 1, hostPort: 1 }] },
        ],
      },
    ],
    [
      {
        'spec.containers': [
          {
            name: 'a',
            image: 'i:1',
            ports: [
              { containerPort: 53, name: 'dns' },
              { containerPort: 53, protocol: 'UDP', name: 'dns-udp' },
            ],
          },
          { name: 'b', image: 'i:1', ports: [{ containerPort: 53, name: 'dns' }] },
        ],
      },
    ],
    [
      {
        'spec.containers.0.resizePolicy': [{ resourceName: 'disk', restartPolicy: 'x' }],
        'spec.containers.0.resources': { claims: [{ name: 'x' }] },
      },
    ],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [{ 'spec.containers': [] }, ['spec.containers: Required value']],
    [
      {
        'spec.containers.0.name': '',
        'spec.containers.0.image': '',
        'spec.containers.0.imagePullPolicy': 'Maybe',
        'spec.containers.0.terminationMessagePolicy': 'Some',
      },
      [
        'spec.containers[0].name: Required value',
        'spec.containers[0].image: Required value',
        'spec.containers[0].terminationMessagePolicy: Unsupported value: "Some": supported values: "File", "FallbackToLogsOnError"',
        'spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
    [
      {
        'spec.containers': [
          { name: 'A', image: 'i:1' },
          { name: 'c', image: ' i:1' },
          { name: 'c', image: 'i:1' },
        ],
      },
      [
        `spec.containers[0].name: Invalid value: "A": ${LABEL_FORM}`,
        'spec.containers[2].name: Duplicate value: "c"',
        'spec.containers[1].image: Invalid value: " i:1": must not have leading or trailing whitespace',
      ],
    ],
    [
      {
        'spec.containers.0.ports': [
          {},
          { containerPort: 70000, hostPort: -1, name: 'a--b', protocol: 'ICMP' },
          { containerPort: 1, name: 'web' },
          { containerPort: 2, name: 'web' },
          { containerPort: 3, name: '-' },
          { containerPort: 3, name: 'xxxxxxxxxxxxxxxx' },
        ],
      },
      [
        'spec.containers[0].ports[0].containerPort: Required value',
        'spec.containers[0].ports[1].name: Invalid value: "a--b": must not contain consecutive hyphens',
        'spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'spec.containers[0].ports[1].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive',
        'spec.containers[0].ports[1].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        'spec.containers[0].ports[3].name: Duplicate value: "web"',
        'spec.containers[0].ports[4].name: Invalid value: "-": must contain at least one letter (a-z)',
        'spec.containers[0].ports[4].name: Invalid value: "-": must not begin or end with a hyphen',
        'spec.containers[0].ports[5].name: Invalid value: "xxxxxxxxxxxxxxxx": must be no more than 15 characters',
      ],
    ],
    [
      {
        'spec.containers': [
          { name: 'a', image: 'i:1', ports: [{ containerPort: 1, hostPort: 1 }] },
          {
            name: 'b',
            image: 'i:1',
            ports: [
              { containerPort: 2, hostPort: 1 },
              { containerPort: 2, hostPort: 1, hostIP: '1.1.1.1' },
            ],
          },
        ],
      },
      ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//1"'],
    ],
    [
      {
        'spec.initContainers': [
          { name: 'i', image: 'i:1', lifecycle: {}, livenessProbe: {}, readinessProbe: {}, startupProbe: {} },
          { name: 'c', image: 'i:1 ' },
          {
            name: 'i',
            image: 'i:1',
            ports: [
              { containerPort: 1, hostPort: 1 },
              { containerPort: 1, hostPort: 1 },
            ],
          },
        ],
      },
      [
        'spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers',
        'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers',
        'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers',
        'spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers',
        'spec.initContainers[1].name: Duplicate value: "c"',
        'spec.initContainers[2].name: Duplicate value: "i"',
        'spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//1"',
        'spec.initContainers[1].image: Invalid value: "i:1 ": must not have leading or trailing whitespace',
      ],
    ],
    [
      {
        'spec.ephemeralContainers': [
          {
            name: 'e',
            image: 'i:1',
            targetContainerName: 'x',
            ports: [{ containerPort: 1 }],
            resources: { limits: { cpu: '1' } },
            livenessProbe: {},
            readinessProbe: {},
            startupProbe: {},
            lifecycle: {},
          },
        ],
      },
      [
        'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].readinessProbe: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].startupProbe: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers: Forbidden: cannot be set on create',
      ],
    ],
    [
      {
        'spec.volumes': [{ name: 'v0', emptyDir: {} }],
        'spec.ephemeralContainers': [
          {
            name: 'c',
            image: ' ',
            targetContainerName: 'c',
            volumeMounts: [
              { name: 'v0', mountPath: '/a', subPath: 'b' },
              { name: 'v0', mountPath: '/b', subPathExpr: 'b' },
            ],
          },
        ],
      },
      [
        'spec.ephemeralContainers[0].image: Invalid value: " ": must not have leading or trailing whitespace',
        'spec.ephemeralContainers[0].name: Duplicate value: "c"',
        'spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].volumeMounts[1].subPathExpr: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers: Forbidden: cannot be set on create',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
