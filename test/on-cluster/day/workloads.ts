import { DAY_IMAGES } from './images.js';

/** Namespace of all workloads. */
export const NAMESPACE = 'day';

const metadataOf = (name: string) => ({ name, namespace: NAMESPACE });
const labelsOf = (name: string) => ({ app: name });
const selectorOf = (name: string) => ({ matchLabels: labelsOf(name) });
const small = { requests: { cpu: '10m', memory: '8Mi' } };
const volumeMounts = [{ name: 'data', mountPath: '/data' }];

/** A first process that ends when it is told to, after a command. */
const untilTold = (command: string): readonly string[] => [
  ...['sh', '-c', `trap 'exit 0' TERM; ${command}; while true; do sleep 1 & wait; done`],
];

/** Pods on a node that is lost are soon made anew. */
const tolerations = ['not-ready', 'unreachable'].map((what) => ({
  ...{ key: `node.kubernetes.io/${what}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
}));

/** A page of three pods, of which two are always there, and its Service. */
export const page = (image: string): readonly object[] => [
  {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadataOf('page') },
    spec: {
      ...{ replicas: 3, selector: selectorOf('page'), minReadySeconds: 1 },
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: labelsOf('page') },
        spec: {
          tolerations,
          topologySpreadConstraints: [
            {
              ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
              labelSelector: selectorOf('page'),
            },
          ],
          terminationGracePeriodSeconds: 6,
          containers: [
            {
              ...{ name: 'page', image, ports: [{ containerPort: 8080 }], resources: small },
              readinessProbe: { httpGet: { port: 8080, path: '/' }, periodSeconds: 1 },
              // Whoever still has its address may ask it until everybody knows that it leaves.
              lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
            },
          ],
        },
      },
    },
  },
  {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: metadataOf('page') },
    spec: { selector: labelsOf('page'), ports: [{ port: 80, targetPort: 8080 }] },
  },
  {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: metadataOf('page') },
    spec: { minAvailable: 2, selector: selectorOf('page') },
  },
];

/** A pod on every node. */
export const everywhere = {
  ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: metadataOf('everywhere') },
  spec: {
    selector: selectorOf('everywhere'),
    template: {
      metadata: { labels: labelsOf('everywhere') },
      spec: {
        containers: [{ name: 'a', image: DAY_IMAGES.first, command: untilTold(':'), resources: small }],
      },
    },
  },
};

/** A job every minute, of which the last two are kept. */
export const minutely = {
  ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: metadataOf('minutely') },
  spec: {
    ...{ schedule: '* * * * *', successfulJobsHistoryLimit: 2, concurrencyPolicy: 'Forbid' },
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: 'OnFailure',
            containers: [{ name: 'a', image: DAY_IMAGES.first, command: ['sh', '-c', 'sleep 1'], resources: small }],
          },
        },
      },
    },
  },
};

/** Two pods with a volume each, in which each start leaves a line. */
export const keeper = (image: string): object => ({
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: metadataOf('keeper') },
  spec: {
    ...{ replicas: 2, serviceName: 'keeper', selector: selectorOf('keeper') },
    template: {
      metadata: { labels: labelsOf('keeper') },
      spec: {
        containers: [
          {
            ...{ name: 'a', image, resources: small, volumeMounts },
            command: untilTold('echo $HOSTNAME >> /data/starts'),
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      },
    ],
  },
});

/** A pod that computes until it holds a file, and its autoscaler. */
export const busy: readonly object[] = [
  {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadataOf('busy') },
    spec: {
      ...{ replicas: 1, selector: selectorOf('busy') },
      template: {
        metadata: { labels: labelsOf('busy') },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              ...{ name: 'a', image: DAY_IMAGES.first },
              command: ['sh', '-c', 'while true; do [ -e /tmp/calm ] && sleep 1; done'],
              resources: { requests: { cpu: '40m', memory: '8Mi' }, limits: { cpu: '150m' } },
            },
          ],
        },
      },
    },
  },
  {
    ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: metadataOf('busy') },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'busy' },
      ...{ minReplicas: 1, maxReplicas: 3, behavior: { scaleDown: { stabilizationWindowSeconds: 10 } } },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  },
];
