import type { JsonObject } from '../object.js';

/** About 5 KiB of JSON, with all that the server would fill in; `number` tells one change from the next. */
export function deployment(name: string, number: number): JsonObject {
  const labels = { app: 'web', 'example.com/team': 'storefront', 'example.com/tier': 'front' };
  const env = Array.from({ length: 12 }, (_, i) => ({ name: `SETTING_${i}`, value: `value number ${i} of this one` }));
  const container = (image: string) => ({
    name: image,
    image: `registry.example.com/team/${image}:1.2.${number}`,
    args: ['--listen=:8080', '--verbose', '--config=/etc/web/config.yaml'],
    env: [...env, { name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } }],
    ports: [{ name: `p-${image}`, containerPort: 8080, protocol: 'TCP' }],
    resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    livenessProbe: {
      httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
      periodSeconds: 10,
      timeoutSeconds: 1,
      successThreshold: 1,
      failureThreshold: 3,
    },
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', labels, annotations: { 'example.com/change': String(number) } },
    spec: {
      replicas: (number % 5) + 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        metadata: { labels },
        spec: {
          containers: ['web', 'proxy', 'log'].map(container),
          volumes: [{ name: 'data', emptyDir: {} }],
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          terminationGracePeriodSeconds: 30,
          securityContext: {},
        },
      },
    },
  };
}

/** What a controller writes to the status of a {@link deployment}. */
export const status = (replicas: number): JsonObject => ({
  observedGeneration: 1,
  replicas,
  updatedReplicas: replicas,
  readyReplicas: replicas,
  availableReplicas: replicas,
  conditions: ['Available', 'Progressing'].map((type) => ({
    type,
    status: 'True',
    reason: 'AsExpected',
    message: 'All is as it should be.',
    lastUpdateTime: '2026-01-02T03:04:05Z',
    lastTransitionTime: '2026-01-02T03:04:05Z',
  })),
});

/** A pod of so many containers, with so many variables each; four of 75 take about 20 KiB. */
export function pod(containers: number, { name = 'large', tag = '1', variables = 1 } = {}): JsonObject {
  const env = Array.from({ length: variables }, (_, i) => ({
    name: `SETTING_${i}`,
    value: `value number ${i} of this one`,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'large' } },
    spec: {
      containers: Array.from({ length: containers }, (_, i) => ({
        name: `container-${i}`,
        image: `registry.example.com/team/image-${i}:${tag}`,
        args: ['--listen=:8080', '--verbose'],
        env: [...env, { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
        ports: [{ name: `p-${i}`, containerPort: 8000 + i, protocol: 'TCP' }],
        resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      })),
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  };
}
