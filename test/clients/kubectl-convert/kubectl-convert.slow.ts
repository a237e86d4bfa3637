import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ORCHCTL } from '../../../tools/up/index.js';
import { Api, type ApiObject } from '../../support/api.js';
import { CERTIFICATE_REQUEST } from '../../support/certificate-request.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import { buildKubectlConvert } from './build-kubectl-convert.js';

const SETUP_MS = 1_500_000;

const LABELS = { app: 'a' };
const SELECTOR = { matchLabels: LABELS };
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const WEBHOOK = { name: 'a.example.com', clientConfig: { url: 'https://example.com/' } };
const TARGET = { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' };
const PATH = { path: '/x', backend: { serviceName: 's', servicePort: 80 } };
const RULES = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];

/** A manifest of an old version that leaves out what it can, the version of today, and where that one is. */
type Manifest = readonly [from: string, kind: string, to: string, resource: string, rest: object];

const autoscaler = (version: string, spec: object): Manifest => [
  `autoscaling/${version}`,
  'HorizontalPodAutoscaler',
  'autoscaling/v2',
  'horizontalpodautoscalers',
  { spec: { maxReplicas: 3, scaleTargetRef: TARGET, ...spec } },
];

const MANIFESTS: readonly Manifest[] = [
  ...['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'].map(
    (from): Manifest => [
      from,
      'Deployment',
      'apps/v1',
      'deployments',
      { spec: { selector: SELECTOR, template: TEMPLATE } },
    ],
  ),
  ...['extensions/v1beta1', 'apps/v1beta1'].map(
    (from): Manifest => [from, 'Deployment', 'apps/v1', 'deployments', { spec: { template: TEMPLATE } }],
  ),
  ...['extensions/v1beta1', 'apps/v1beta2'].flatMap((from): Manifest[] => [
    [from, 'DaemonSet', 'apps/v1', 'daemonsets', { spec: { selector: SELECTOR, template: TEMPLATE } }],
    [from, 'ReplicaSet', 'apps/v1', 'replicasets', { spec: { selector: SELECTOR, template: TEMPLATE } }],
  ]),
  ...['apps/v1beta1', 'apps/v1beta2'].map(
    (from): Manifest => [
      from,
      'StatefulSet',
      'apps/v1',
      'statefulsets',
      { spec: { serviceName: 's', selector: SELECTOR, template: TEMPLATE } },
    ],
  ),
  ...['extensions/v1beta1', 'networking.k8s.io/v1beta1'].map(
    (from): Manifest => [
      from,
      'Ingress',
      'networking.k8s.io/v1',
      'ingresses',
      {
        spec: { backend: { serviceName: 'd', servicePort: 'http' }, rules: [{ host: 'a.b', http: { paths: [PATH] } }] },
      },
    ],
  ),
  [
    'extensions/v1beta1',
    'NetworkPolicy',
    'networking.k8s.io/v1',
    'networkpolicies',
    { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } },
  ],
  [
    'batch/v1beta1',
    'CronJob',
    'batch/v1',
    'cronjobs',
    {
      spec: {
        schedule: '@daily',
        jobTemplate: { spec: { template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } },
      },
    },
  ],
  [
    'policy/v1beta1',
    'PodDisruptionBudget',
    'policy/v1',
    'poddisruptionbudgets',
    { spec: { minAvailable: 1, selector: SELECTOR } },
  ],
  autoscaler('v2beta1', {
    metrics: [
      { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 80 } },
      { type: 'Pods', pods: { metricName: 'm', targetAverageValue: '1k' } },
      { type: 'Object', object: { metricName: 'm', target: TARGET, targetValue: '5' } },
      { type: 'External', external: { metricName: 'm', targetValue: '5' } },
    ],
  }),
  autoscaler('v2beta2', { behavior: { scaleDown: { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } } }),
  autoscaler('v1', { targetCPUUtilizationPercentage: 70 }),
  ...(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const).map(
    (kind): Manifest => [
      'admissionregistration.k8s.io/v1beta1',
      kind,
      'admissionregistration.k8s.io/v1',
      `${kind.toLowerCase()}s`,
      { webhooks: [{ ...WEBHOOK, sideEffects: 'None', rules: [] }] },
    ],
  ),
  ...['v1alpha1', 'v1beta1'].map(
    (version): Manifest => [
      `rbac.authorization.k8s.io/${version}`,
      'Role',
      'rbac.authorization.k8s.io/v1',
      'roles',
      { rules: RULES },
    ],
  ),
  [
    'rbac.authorization.k8s.io/v1beta1',
    'RoleBinding',
    'rbac.authorization.k8s.io/v1',
    'rolebindings',
    { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'jo' }] },
  ],
  [
    'rbac.authorization.k8s.io/v1alpha1',
    'RoleBinding',
    'rbac.authorization.k8s.io/v1',
    'rolebindings',
    { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: '*', apiVersion: 'rbac/v1alpha1' }] },
  ],
  ['storage.k8s.io/v1beta1', 'StorageClass', 'storage.k8s.io/v1', 'storageclasses', { provisioner: 'p' }],
  ['storage.k8s.io/v1beta1', 'CSIDriver', 'storage.k8s.io/v1', 'csidrivers', { spec: {} }],
  ['scheduling.k8s.io/v1beta1', 'PriorityClass', 'scheduling.k8s.io/v1', 'priorityclasses', { value: 5 }],
  ['coordination.k8s.io/v1beta1', 'Lease', 'coordination.k8s.io/v1', 'leases', { spec: { holderIdentity: 'h' } }],
  [
    'discovery.k8s.io/v1beta1',
    'EndpointSlice',
    'discovery.k8s.io/v1',
    'endpointslices',
    {
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['10.0.0.1'],
          topology: { 'kubernetes.io/hostname': 'n', 'topology.kubernetes.io/zone': 'z', x: 'y' },
        },
      ],
      ports: [{ port: 80 }],
    },
  ],
  ['node.k8s.io/v1beta1', 'RuntimeClass', 'node.k8s.io/v1', 'runtimeclasses', { handler: 'runc' }],
  [
    'certificates.k8s.io/v1beta1',
    'CertificateSigningRequest',
    'certificates.k8s.io/v1',
    'certificatesigningrequests',
    { spec: { request: CERTIFICATE_REQUEST, signerName: 'example.com/s', usages: ['client auth'] } },
  ],
  ...['v1beta1', 'v1beta2'].map(
    (version): Manifest => [
      `flowcontrol.apiserver.k8s.io/${version}`,
      'PriorityLevelConfiguration',
      'flowcontrol.apiserver.k8s.io/v1beta3',
      'prioritylevelconfigurations',
      {
        spec: {
          type: 'Limited',
          limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Queue', queuing: {} } },
        },
      },
    ],
  ),
];
const NAMESPACED =
  /^(deployments|daemonsets|replicasets|statefulsets|ingresses|networkpolicies|cronjobs|poddis|horizontal|roles|rolebindings|leases|endpointslices)/;

/** The plugin writes these even when nothing is in them, as the reference system's types cannot leave them out. */
const WRITTEN_EMPTY = ['resources', 'metadata', 'conditions'];
const withoutEmpty = (name: string, value: object) =>
  WRITTEN_EMPTY.includes(name) && Object.keys(value).length === 0 ? undefined : value;

describe('orchctl convert beside kubectl convert 1.27', () => {
  let server: Standalone;
  let api: Api;
  let plugin: string;

  beforeAll(async () => {
    plugin = buildKubectlConvert();
    server = await startStandalone({ naming: 'kubernetes' });
    api = new Api(server);
  }, SETUP_MS);
  afterAll(async () => {
    api?.close();
    await server?.stop();
  });

  function converted(command: string, args: readonly string[], manifest: object, to: string): ApiObject {
    const all = [...args, '-f', '-', '--output-version', to, '-o', 'json'];
    const env = { PATH: process.env.PATH, ORCH_NAMING: 'kubernetes', KUBECONFIG: server.kubeconfig };
    const { stdout, stderr, status } = spawnSync(command, all, {
      encoding: 'utf8',
      env,
      input: JSON.stringify(manifest),
    });
    if (status !== 0) throw new Error(`${command}: ${stderr}`);
    const made = JSON.parse(stdout) as ApiObject;
    // The plugin takes what comes by standard input for several.
    return made.kind === 'List' ? made.items[0] : made;
  }

  /**
   * Returns the object as it would be stored: the plugin writes out defaults and empty members, which ours leaves to
   * the server.
   */
  async function stored(object: ApiObject, resource: string): Promise<object> {
    const place = NAMESPACED.test(resource) ? `namespaces/default/${resource}` : resource;
    const answer = await api.post(`/apis/${object.apiVersion}/${place}?dryRun=All`, object);
    expect(answer.status, answer.text).toBe(201);
    const { metadata, status: _status, ...rest } = answer.json();
    const { name, labels, annotations } = metadata;
    return JSON.parse(JSON.stringify({ name, labels, annotations, ...rest }, withoutEmpty));
  }

  test.each(MANIFESTS)('%s %s > %s', async (from, kind, to, resource, rest) => {
    const manifest = { apiVersion: from, kind, metadata: { name: 'a' }, ...rest };
    const ours = converted(process.execPath, [ORCHCTL, 'convert'], manifest, to);
    const theirs = converted(plugin, [], manifest, to);
    expect(ours).toMatchObject({ apiVersion: to, kind });
    expect(await stored(ours, resource)).toEqual(await stored(theirs, resource));
  });
});
