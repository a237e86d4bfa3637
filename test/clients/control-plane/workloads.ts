/** In names of variables and annotations: what JSON writers escape in different ways, some of them not at all. */
const AWKWARD = 'a & b < c > d \u2028 e "quoted" \\ é 🙂';

export const NAMESPACE = 'rest';

/** Nodes that KWOK keeps up; it takes all there are. */
export const NODES = ['fake-0', 'fake-1', 'fake-2'];

const metadata = (name: string, more: object = {}) => ({
  name,
  namespace: NAMESPACE,
  labels: { app: name },
  annotations: { 'example.com/text': AWKWARD },
  ...more,
});

const podSpec = (restartPolicy: string) => ({
  restartPolicy,
  serviceAccountName: 'runner',
  containers: [
    {
      name: 'main',
      image: 'example.com/main:1',
      command: ['sh', '-c', `test 1 -gt 0 && echo "${AWKWARD}" >/dev/null`],
      env: [
        { name: 'TEXT', value: AWKWARD },
        { name: 'SETTING', valueFrom: { configMapKeyRef: { name: 'texts', key: 'text' } } },
      ],
      resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '0.5', memory: '65536Ki' } },
      volumeMounts: [{ name: 'texts', mountPath: '/texts' }],
    },
  ],
  volumes: [{ name: 'texts', configMap: { name: 'texts' } }],
});

const template = (name: string, restartPolicy = 'Always') => ({
  metadata: { labels: { app: name }, annotations: { 'example.com/text': AWKWARD, '1': 'one', '0': 'zero' } },
  spec: podSpec(restartPolicy),
});

const selector = (name: string) => ({ matchLabels: { app: name } });

const job = (more: object) => ({
  completions: 2,
  parallelism: 2,
  template: { metadata: { annotations: { 'example.com/text': AWKWARD } }, spec: podSpec('Never') },
  ...more,
});

const node = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, 'example.com/kind': 'fake' } },
});

const volume = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, annotations: { 'example.com/text': AWKWARD } },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'static',
    hostPath: { path: `/volumes/${name}` },
  },
});

const BASE = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('runner') },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata('texts'),
    data: { text: AWKWARD, '10': 'ten', '9': 'nine' },
  },
  { apiVersion: 'v1', kind: 'Secret', metadata: metadata('texts'), stringData: { text: AWKWARD } },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: metadata('all'),
    spec: {
      hard: { pods: '100', 'requests.cpu': '20', 'limits.memory': '10Gi', configmaps: '20', 'count/jobs.batch': '10' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: metadata('each'),
    spec: { limits: [{ type: 'Container', max: { cpu: '2' }, defaultRequest: { memory: '16Mi' } }] },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'static' },
    provisioner: 'kubernetes.io/no-provisioner',
  },
  ...['volume-0', 'volume-1', 'volume-2'].map(volume),
];

const RUNNING = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata('web'),
    spec: { replicas: 5, selector: selector('web'), template: template('web') },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadata('store'),
    spec: {
      replicas: 3,
      serviceName: 'store',
      selector: selector('store'),
      template: template('store'),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data', annotations: { 'example.com/text': AWKWARD } },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'static',
            resources: { requests: { storage: '1024Mi' } },
          },
        },
      ],
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: metadata('agent'),
    spec: { selector: selector('agent'), template: template('agent') },
  },
  { apiVersion: 'batch/v1', kind: 'Job', metadata: metadata('done'), spec: job({}) },
  { apiVersion: 'batch/v1', kind: 'Job', metadata: metadata('held'), spec: job({ suspend: true }) },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: metadata('nightly'),
    spec: { schedule: '*/1 * * * *', suspend: true, jobTemplate: { spec: job({}) } },
  },
];

const AROUND = [
  ...['web', 'store'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(name),
    spec: { selector: { app: name }, ports: [{ port: 80 }], ...(name === 'store' && { clusterIP: 'None' }) },
  })),
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata('web'),
    spec: { minAvailable: '50%', selector: selector('web') },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadata('web'),
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
  },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: metadata('web'), spec: { podSelector: {} } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'rest:gathered', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list', 'watch'] }],
  },
];

const WIDGET_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Made first, and in this order: what others need. */
export const FIRST: readonly object[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  WIDGET_DEFINITION,
  ...NODES.map(node),
];

/** Workloads that the components bring to rest. */
export const WORKLOADS: readonly object[] = [...BASE, ...RUNNING, ...AROUND];

/** Objects of a kind that is defined here; one is owned by another. */
export const widgets = (owner: { readonly name: string; readonly uid: string }): readonly object[] => [
  {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: metadata('owned', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', ...owner }] }),
    spec: { text: AWKWARD, numbers: [1, 1.5, 1e21] },
  },
];
