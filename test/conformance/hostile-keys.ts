import type { ApiObject } from '../support/api.js';

/** Texts that no name may be, or that are no key of a database: each has made an internal error somewhere. */
export const HOSTILE_TEXTS: readonly string[] = [
  'a\0b',
  '\0',
  'a\ud800',
  '\udc00a',
  'x'.repeat(1_100),
  'x'.repeat(10_000),
  '\u00e9'.repeat(600),
  '9223372036854775808',
  "';--\\",
  '..',
];

/** Numbers that no 64 bits hold, or no integer is. */
export const HOSTILE_NUMBERS: readonly string[] = ['9223372036854775808', '-9223372036854775809', '1e300', '-1', '0.5'];

const meta = { name: 'a' };
const container = { name: 'c', image: 'i' };
const podSpec = {
  containers: [{ ...container, ports: [{ containerPort: 80, name: 'p' }] }],
  serviceAccountName: 'default',
  priorityClassName: 'system-node-critical',
  nodeName: 'n',
  schedulerName: 's',
  imagePullSecrets: [{ name: 's' }],
  terminationGracePeriodSeconds: 1,
  activeDeadlineSeconds: 1,
  volumes: [
    { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
    { name: 'w', configMap: { name: 'm' } },
    { name: 'x', secret: { secretName: 's' } },
  ],
};
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] };
const namespaced = { namespace: 'default' };

/** An object each of whose values is replaced by each hostile one in turn. */
export interface Template {
  /** Path of its collection. */
  readonly path: string;
  /** Status for the valid object; 404 or 403 if it refers to missing objects. */
  readonly answer: number;
  readonly object: ApiObject & { readonly [member: string]: unknown };
}

const core = (resource: string) => `/api/v1/namespaces/default/${resource}`;
const group = (name: string, resource: string, namespace = true) =>
  `/apis/${name}/${namespace ? 'namespaces/default/' : ''}${resource}`;

interface Further {
  readonly apiVersion?: string;
  readonly answer?: number;
}

const of = (path: string, kind: string, more: object, { apiVersion, answer = 201 }: Further = {}): Template => {
  const [, , named = '', version = ''] = path.split('/');
  const own = path.startsWith('/apis/') ? `${named}/${version}` : 'v1';
  const object = { apiVersion: apiVersion ?? own, kind, metadata: meta, ...more } as Template['object'];
  return { path, answer, object };
};

export const TEMPLATES: readonly Template[] = [
  of('/api/v1/namespaces', 'Namespace', { spec: { finalizers: ['a.b/c'] } }),
  of(core('configmaps'), 'ConfigMap', {
    metadata: {
      ...meta,
      ...namespaced,
      generateName: 'g-',
      uid: 'u',
      resourceVersion: '',
      generation: 1,
      labels: { a: 'b' },
      annotations: { a: 'b' },
      finalizers: ['a.b/c'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }],
    },
    data: { a: 'b' },
  }),
  of(core('pods'), 'Pod', { spec: podSpec }),
  of(core('pods'), 'Pod', { spec: { ...podSpec, runtimeClassName: 'r' } }, { answer: 403 }),
  of(core('services'), 'Service', {
    spec: { selector: { a: 'b' }, ports: [{ port: 80, name: 'p', targetPort: 'q' }], clusterIP: '10.96.0.9' },
  }),
  of(core('services'), 'Service', { spec: { type: 'ExternalName', externalName: 'a.b' } }),
  of(core('endpoints'), 'Endpoints', {
    subsets: [
      { addresses: [{ ip: '10.1.1.1', targetRef: { kind: 'Pod', name: 'p', ...namespaced } }], ports: [{ port: 1 }] },
    ],
  }),
  of(core('serviceaccounts'), 'ServiceAccount', { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 's' }] }),
  of(core('secrets'), 'Secret', {
    type: 'kubernetes.io/service-account-token',
    metadata: { ...meta, annotations: { 'kubernetes.io/service-account.name': 'default' } },
  }),
  of(core('events'), 'Event', {
    involvedObject: { kind: 'Pod', ...namespaced, name: 'p', uid: 'u', resourceVersion: '1', fieldPath: 'f' },
    reason: 'r',
    source: { component: 'c', host: 'h' },
    count: 1,
    type: 'Normal',
  }),
  of(group('events.k8s.io/v1', 'events'), 'Event', {
    regarding: { kind: 'Pod', ...namespaced, name: 'p' },
    reportingController: 'a.b/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    type: 'Normal',
    eventTime: '2026-01-01T00:00:00.000000Z',
  }),
  of(core('persistentvolumeclaims'), 'PersistentVolumeClaim', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 's',
      volumeName: 'v',
    },
  }),
  of(core('resourcequotas'), 'ResourceQuota', { spec: { hard: { pods: '1' } } }),
  of(core('limitranges'), 'LimitRange', { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }),
  of(core('replicationcontrollers'), 'ReplicationController', {
    spec: {
      replicas: 1,
      selector: { a: 'b' },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
    },
  }),
  of('/api/v1/nodes', 'Node', { spec: { podCIDR: '10.2.0.0/24', providerID: 'p' } }),
  of(group('rbac.authorization.k8s.io/v1', 'roles'), 'Role', { rules: [rule] }),
  of(group('rbac.authorization.k8s.io/v1', 'clusterroles', false), 'ClusterRole', {
    rules: [{ ...rule, nonResourceURLs: [] }],
  }),
  of(group('rbac.authorization.k8s.io/v1', 'rolebindings'), 'RoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [
      { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'ServiceAccount', name: 's', ...namespaced },
    ],
  }),
  of(group('rbac.authorization.k8s.io/v1', 'clusterrolebindings', false), 'ClusterRoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
    subjects: [{ kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' }],
  }),
  of(group('coordination.k8s.io/v1', 'leases'), 'Lease', {
    spec: { holderIdentity: 'h', leaseDurationSeconds: 1, leaseTransitions: 1 },
  }),
  of(group('policy/v1', 'poddisruptionbudgets'), 'PodDisruptionBudget', {
    spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
  }),
  of(group('apps/v1', 'deployments'), 'Deployment', {
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' }, name: 'n' },
        spec: { containers: [container], serviceAccountName: 's' },
      },
    },
  }),
  of(group('apps/v1', 'controllerrevisions'), 'ControllerRevision', { revision: 1, data: {} }),
  of(group('batch/v1', 'jobs'), 'Job', {
    spec: { backoffLimit: 1, template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  }),
  of(group('batch/v1', 'cronjobs'), 'CronJob', {
    spec: {
      schedule: '* * * * *',
      timeZone: 'UTC',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
    },
  }),
  of(group('autoscaling/v2', 'horizontalpodautoscalers'), 'HorizontalPodAutoscaler', {
    spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
  }),
  of(group('networking.k8s.io/v1', 'ingresses'), 'Ingress', {
    spec: {
      ingressClassName: 'i',
      defaultBackend: { service: { name: 's', port: { number: 80 } } },
      tls: [{ secretName: 's' }],
    },
  }),
  of(group('networking.k8s.io/v1', 'ingressclasses', false), 'IngressClass', {
    spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n', scope: 'Namespace', ...namespaced } },
  }),
  of(group('scheduling.k8s.io/v1', 'priorityclasses', false), 'PriorityClass', { value: 1, description: 'd' }),
  of(group('node.k8s.io/v1', 'runtimeclasses', false), 'RuntimeClass', { handler: 'h' }),
  of(group('storage.k8s.io/v1', 'storageclasses', false), 'StorageClass', { provisioner: 'p' }),
  of(group('storage.k8s.io/v1', 'volumeattachments', false), 'VolumeAttachment', {
    spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  }),
  of(group('discovery.k8s.io/v1', 'endpointslices'), 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'], nodeName: 'n' }],
    ports: [{ name: 'p', port: 1 }],
  }),
  of(group('flowcontrol.apiserver.k8s.io/v1beta3', 'flowschemas', false), 'FlowSchema', {
    spec: { matchingPrecedence: 2, priorityLevelConfiguration: { name: 'p' } },
  }),
  of(
    group('certificates.k8s.io/v1', 'certificatesigningrequests', false),
    'CertificateSigningRequest',
    {
      spec: { request: 'YQ==', signerName: 'a.b/c', usages: ['client auth'], expirationSeconds: 600 },
    },
    { answer: 422 },
  ),
  of(group('apiregistration.k8s.io/v1', 'apiservices', false), 'APIService', {
    metadata: { name: 'v1.a.b' },
    spec: {
      group: 'a.b',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { ...namespaced, name: 's', port: 443 },
    },
  }),
  of(
    group('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations', false),
    'ValidatingWebhookConfiguration',
    {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { service: { ...namespaced, name: 's', path: '/p', port: 443 } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 1,
          failurePolicy: 'Ignore',
          rules: [{ apiGroups: ['a.b'], apiVersions: ['v1'], resources: ['x'], operations: ['CREATE'] }],
        },
      ],
    },
  ),
  of(group('apiextensions.k8s.io/v1', 'customresourcedefinitions', false), 'CustomResourceDefinition', {
    metadata: { name: 'xs.a.b' },
    spec: {
      group: 'a.b',
      scope: 'Namespaced',
      names: { plural: 'xs', singular: 'x', kind: 'X', listKind: 'XList', shortNames: ['s'], categories: ['c'] },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }),
  of(group('authorization.k8s.io/v1', 'subjectaccessreviews', false), 'SubjectAccessReview', {
    metadata: {},
    spec: {
      user: 'u',
      uid: 'i',
      groups: ['g'],
      resourceAttributes: { ...namespaced, name: 'n', verb: 'get', resource: 'pods', group: 'a', subresource: 's' },
    },
  }),
  of(group('authorization.k8s.io/v1', 'localsubjectaccessreviews'), 'LocalSubjectAccessReview', {
    metadata: namespaced,
    spec: { user: 'u', resourceAttributes: { ...namespaced, name: 'n', verb: 'get', resource: 'pods' } },
  }),
  of(group('authorization.k8s.io/v1', 'selfsubjectrulesreviews', false), 'SelfSubjectRulesReview', {
    metadata: {},
    spec: namespaced,
  }),
  of(group('authentication.k8s.io/v1', 'tokenreviews', false), 'TokenReview', {
    metadata: {},
    spec: { token: 't', audiences: ['a'] },
  }),
  of(
    core('serviceaccounts/default/token'),
    'TokenRequest',
    {
      metadata: {},
      spec: {
        audiences: ['a'],
        expirationSeconds: 600,
        boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's', uid: 'u' },
      },
    },
    { apiVersion: 'authentication.k8s.io/v1', answer: 404 },
  ),
  of(core('bindings'), 'Binding', { target: { kind: 'Node', name: 'n', ...namespaced, uid: 'u' } }, { answer: 404 }),
  of(core('pods/a/binding'), 'Binding', { target: { kind: 'Node', name: 'n' } }, { answer: 404 }),
  of(
    core('pods/a/eviction'),
    'Eviction',
    {
      deleteOptions: {
        gracePeriodSeconds: 1,
        preconditions: { uid: 'u', resourceVersion: '1' },
        propagationPolicy: 'Background',
      },
    },
    { apiVersion: 'policy/v1', answer: 404 },
  ),
];

/** The object with each of its values replaced by each of the others in turn, as JSON. */
export function* spoilt(object: unknown, texts: readonly string[], numbers: readonly string[]): Generator<string> {
  for (const path of places(object)) {
    const value = at(object, path);
    const others = typeof value === 'number' ? numbers : texts.map((text) => JSON.stringify(text));
    for (const other of others) yield JSON.stringify(replaced(object, path)).replace(`"${MARK}"`, () => other);
  }
}

const MARK = 'here-it-is-replaced';
type Path = readonly string[];

function* places(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value === 'string' || typeof value === 'number') yield path;
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value)) yield* places(member, [...path, key]);
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce((within, key) => (within as Record<string, unknown>)[key], value);

function replaced(value: unknown, path: Path): unknown {
  const copy = structuredClone(value);
  const last = path.at(-1) ?? '';
  (at(copy, path.slice(0, -1)) as Record<string, unknown>)[last] = MARK;
  return copy;
}
