import { describe, expect, it } from 'vitest';
import { type Changes, refusals } from '../testing/judged-pods.js';

describe('probes and hooks', () => {
  it.each<[Changes]>([
    [
      {
        'spec.containers.0.livenessProbe': { exec: { command: ['a'] }, terminationGracePeriodSeconds: 1 },
        'spec.containers.0.readinessProbe': {
          httpGet: { port: 'web', httpHeaders: [{ name: 'X-A', value: '' }] },
          successThreshold: 3,
        },
        'spec.containers.0.startupProbe': { grpc: { port: 1 } },
        'spec.containers.0.lifecycle': { preStop: { tcpSocket: { port: 1 } } },
      },
    ],
    [{ 'spec.containers.0.lifecycle': {} }],
  ])('may be %j', (changes) => {
    expect(refusals(changes)).toEqual([]);
  });

  it.each<[Changes, string[]]>([
    [
      {
        'spec.containers.0.livenessProbe': {
          successThreshold: 2,
          initialDelaySeconds: -1,
          timeoutSeconds: -1,
          periodSeconds: -1,
          failureThreshold: -1,
          terminationGracePeriodSeconds: 0,
        },
      },
      [
        'spec.containers[0].livenessProbe: Required value: must specify a handler type',
        'spec.containers[0].livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.containers[0].livenessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.containers[0].livenessProbe.failureThreshold: Invalid value: -1: must be greater than or equal to 0',
        'spec.containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0',
        'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
      ],
    ],
    [
      {
        'spec.containers.0.readinessProbe': {
          exec: {},
          httpGet: { port: 80 },
          tcpSocket: { port: 80 },
          grpc: { port: 80 },
          terminationGracePeriodSeconds: -1,
        },
      },
      [
        'spec.containers[0].readinessProbe.exec.command: Required value',
        'spec.containers[0].readinessProbe.httpGet: Forbidden: may not specify more than 1 handler type',
        'spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
        'spec.containers[0].readinessProbe.grpc: Forbidden: may not specify more than 1 handler type',
        'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: -1: must be greater than 0',
        'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: -1: must not be set for readinessProbes',
      ],
    ],
    [
      {
        'spec.containers.0.startupProbe': {
          httpGet: { port: 0, scheme: 'FTP', httpHeaders: [{ name: 'a b' }, { name: '' }] },
          successThreshold: 3,
        },
      },
      [
        'spec.containers[0].startupProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.containers[0].startupProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
        "spec.containers[0].startupProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
        "spec.containers[0].startupProbe.httpGet.httpHeaders: Invalid value: \"\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
        'spec.containers[0].startupProbe.successThreshold: Invalid value: 3: must be 1',
      ],
    ],
    [
      {
        'spec.containers.0.livenessProbe': { grpc: { port: 0 } },
        'spec.containers.0.readinessProbe': { tcpSocket: { port: 'A_b' } },
        'spec.containers.0.startupProbe': { httpGet: { port: 70000 } },
      },
      [
        'spec.containers[0].livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: "A_b": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'spec.containers[0].startupProbe.httpGet.port: Invalid value: 70000: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      {
        'spec.containers.0.lifecycle': { postStart: {}, preStop: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } },
      },
      [
        'spec.containers[0].lifecycle.postStart: Required value: must specify a handler type',
        'spec.containers[0].lifecycle.preStop.tcpSocket: Forbidden: may not specify more than 1 handler type',
      ],
    ],
    [
      {
        'spec.containers.0.lifecycle': { postStart: { httpGet: { port: 'http', scheme: 'x' } }, preStop: { exec: {} } },
      },
      [
        'spec.containers[0].lifecycle.postStart.httpGet.scheme: Unsupported value: "x": supported values: "HTTP", "HTTPS"',
        'spec.containers[0].lifecycle.preStop.exec.command: Required value',
      ],
    ],
  ])('may not be %j', (changes, causes) => {
    expect(refusals(changes)).toEqual(causes);
  });
});
