import type { ApiObject } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { imagePullPolicy } from './image-pull-policy.js';
import { defaultPodSpec } from './pod-spec.js';
import { summarizePod } from './pod-summary.js';
import { qosClass, requestsFromLimits } from './resources.js';

const NOW = Date.parse('2026-01-02T00:00:00Z');

describe('imagePullPolicy', () => {
  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['registry:5000/nginx', 'Always'],
    ['registry:5000/nginx:1.27', 'IfNotPresent'],
    [`nginx@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
    [`nginx:latest@sha256:${'0'.repeat(64)}`, 'Always'],
    ['localhost/nginx', 'Always'],
    // What names no image has no tag either.
    ['', 'IfNotPresent'],
    [' ', 'IfNotPresent'],
    ['Nginx', 'IfNotPresent'],
    ['nginx:', 'IfNotPresent'],
    ['nginx:latest@sha256:00', 'IfNotPresent'],
    ['0'.repeat(64), 'IfNotPresent'],
    [`example.com/${'a'.repeat(244)}`, 'IfNotPresent'],
    [`${'a-'.repeat(290)}!`, 'IfNotPresent'],
  ])('%s: %s', (image, policy) => {
    expect(imagePullPolicy(image)).toBe(policy);
  });
});

describe('qosClass', () => {
  const spec = (resources: object) => ({ containers: [{ resources }] });

  it.each([
    [{}, 'BestEffort'],
    [{ requests: { cpu: '0' } }, 'BestEffort'],
    [{ limits: { 'example.com/gpu': '1' } }, 'BestEffort'],
    [{ requests: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    [{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } }, 'Burstable'],
  ])('%j is %s', (resources, quality) => {
    expect(qosClass(spec(resources))).toBe(quality);
  });

  it('asks init containers too', () => {
    const full = { limits: { cpu: '1', memory: '1Gi' } };
    expect(qosClass({ ...spec(full), initContainers: [{ resources: {} }] })).toBe('Burstable');
  });
});

it('requests what is limited and not requested', () => {
  const spec = { containers: [{ resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } } }] };
  requestsFromLimits(spec);
  expect(spec.containers[0]?.resources.requests).toEqual({ cpu: '1', memory: '1Gi' });
});

it('defaults containers, volumes and the account', () => {
  const spec = {
    hostNetwork: true,
    serviceAccount: 'robot',
    containers: [
      {
        image: 'a:1',
        ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }],
        readinessProbe: { grpc: { port: 1 } },
      },
    ],
    volumes: [{ name: 'scratch' }, { name: 'host', hostPath: { path: '/x' } }],
  };
  defaultPodSpec(spec);
  expect(spec).toEqual({
    hostNetwork: true,
    serviceAccount: 'robot',
    serviceAccountName: 'robot',
    containers: [
      {
        image: 'a:1',
        imagePullPolicy: 'IfNotPresent',
        ports: [
          { containerPort: 80, hostPort: 80 },
          { containerPort: 81, hostPort: 8081 },
        ],
        readinessProbe: {
          grpc: { port: 1, service: '' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'host', hostPath: { path: '/x', type: '' } },
    ],
  });
});

describe('summarizePod', () => {
  const pod = (status: object, metadata: object = {}): ApiObject => ({
    metadata,
    spec: { containers: [{}, {}], initContainers: [{}] },
    status,
  });
  const up = { ready: true, state: { running: {} } };
  const crash = {
    restartCount: 4,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { finishedAt: '2026-01-01T23:55:00Z' } },
  };
  const started = { state: { terminated: { exitCode: 0 } } };

  it.each<[string, ApiObject, string, string, string]>([
    ['new', pod({ phase: 'Pending' }), '0/2', 'Pending', '0'],
    [
      'gated',
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] }),
      '0/2',
      'SchedulingGated',
      '0',
    ],
    ['evicted', pod({ phase: 'Failed', reason: 'Evicted' }), '0/2', 'Evicted', '0'],
    [
      'initializing',
      pod({ phase: 'Pending', initContainerStatuses: [{ state: { running: {} } }] }),
      '0/2',
      'Init:0/1',
      '0',
    ],
    [
      'failed to initialize',
      pod({ initContainerStatuses: [{ state: { terminated: { exitCode: 2 } } }] }),
      '0/2',
      'Init:ExitCode:2',
      '0',
    ],
    [
      'running',
      pod({ phase: 'Running', initContainerStatuses: [started], containerStatuses: [up, up] }),
      '2/2',
      'Running',
      '0',
    ],
    ['crashing', pod({ phase: 'Running', containerStatuses: [up, crash] }), '1/2', 'CrashLoopBackOff', '4 (5m ago)'],
    ['killed', pod({ containerStatuses: [{ state: { terminated: { signal: 9 } } }] }), '0/2', 'Signal:9', '0'],
    [
      'half done',
      pod({ phase: 'Running', containerStatuses: [{ state: { terminated: { reason: 'Completed' } } }, up] }),
      '1/2',
      'NotReady',
      '0',
    ],
    [
      'going',
      pod({ phase: 'Running', containerStatuses: [up, up] }, { deletionTimestamp: '2026-01-02T00:00:00Z' }),
      '2/2',
      'Terminating',
      '0',
    ],
    ['lost', pod({ reason: 'NodeLost' }, { deletionTimestamp: '2026-01-02T00:00:00Z' }), '0/2', 'Unknown', '0'],
  ])('%s', (_name, object, ready, status, restarts) => {
    expect(summarizePod(object as Pod, NOW)).toEqual({ ready, status, restarts });
  });
});
