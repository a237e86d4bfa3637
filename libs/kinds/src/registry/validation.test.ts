import { type ApiObject, copy, namesOf } from '@orch/machinery';
import { applyDefaults, loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { REQUEST } from '../testing/certificates.js';
import { setMembers } from '../testing/refusals.js';
import { through } from '../testing/through.js';
import { kindRules } from './registry.js';

const names = namesOf('kubernetes');
const scheme = loadScheme(names);

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly object: ApiObject;
}

const container = { name: 'c', image: 'nginx' };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
const ending = { ...template, spec: { containers: [container], restartPolicy: 'Never' } };
const selector = { matchLabels: { app: 'a' } };
const backend = { service: { name: 'web', port: { number: 80 } } };
const rbac = 'rbac.authorization.k8s.io';

/** As little as release 1.27 accepts of each kind. */
const KINDS: Readonly<Record<string, Kind>> = {
  Pod: { group: '', version: 'v1', plural: 'pods', object: { spec: { containers: [container] } } },
  Service: { group: '', version: 'v1', plural: 'services', object: { spec: { ports: [{ port: 80 }] } } },
  ConfigMap: { group: '', version: 'v1', plural: 'configmaps', object: {} },
  Secret: { group: '', version: 'v1', plural: 'secrets', object: {} },
  ReplicationController: { group: '', version: 'v1', plural: 'replicationcontrollers', object: { spec: { template } } },
  PersistentVolume: {
    group: '',
    version: 'v1',
    plural: 'persistentvolumes',
    object: { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } },
  },
  PersistentVolumeClaim: {
    group: '',
    version: 'v1',
    plural: 'persistentvolumeclaims',
    object: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  },
  Deployment: { group: 'apps', version: 'v1', plural: 'deployments', object: { spec: { selector, template } } },
  DaemonSet: { group: 'apps', version: 'v1', plural: 'daemonsets', object: { spec: { selector, template } } },
  ReplicaSet: { group: 'apps', version: 'v1', plural: 'replicasets', object: { spec: { selector, template } } },
  StatefulSet: { group: 'apps', version: 'v1', plural: 'statefulsets', object: { spec: { selector, template } } },
  Job: { group: 'batch', version: 'v1', plural: 'jobs', object: { spec: { template: ending } } },
  CronJob: {
    group: 'batch',
    version: 'v1',
    plural: 'cronjobs',
    object: { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: ending } } } },
  },
  HorizontalPodAutoscaler: {
    group: 'autoscaling',
    version: 'v2',
    plural: 'horizontalpodautoscalers',
    object: { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a' } } },
  },
  Ingress: {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'ingresses',
    object: { spec: { defaultBackend: backend } },
  },
  IngressClass: {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'ingressclasses',
    object: { spec: { controller: 'example.com/c' } },
  },
  NetworkPolicy: { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', object: { spec: {} } },
  PodDisruptionBudget: { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', object: { spec: {} } },
  Role: { group: rbac, version: 'v1', plural: 'roles', object: {} },
  ClusterRole: { group: rbac, version: 'v1', plural: 'clusterroles', object: {} },
  RoleBinding: { group: rbac, version: 'v1', plural: 'rolebindings', object: { roleRef: { kind: 'Role', name: 'r' } } },
  ClusterRoleBinding: {
    group: rbac,
    version: 'v1',
    plural: 'clusterrolebindings',
    object: { roleRef: { kind: 'ClusterRole', name: 'r' } },
  },
  StorageClass: {
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'storageclasses',
    object: { provisioner: 'example.com/p' },
  },
  PriorityClass: { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses', object: {} },
  RuntimeClass: { group: 'node.k8s.io', version: 'v1', plural: 'runtimeclasses', object: { handler: 'runc' } },
  CertificateSigningRequest: {
    group: 'certificates.k8s.io',
    version: 'v1',
    plural: 'certificatesigningrequests',
    object: {
      spec: {
        request: Buffer.from(REQUEST).toString('base64'),
        signerName: 'example.com/s',
        usages: ['client auth'],
      },
    },
  },
};

function kindOf(name: string) {
  const kind = KINDS[name];
  const definition = kind && scheme.resource(kind.group, kind.version, kind.plural);
  if (!definition) throw new Error(`no kind ${name}`);
  return { definition, rules: kindRules(definition, names), object: kind.object };
}

/** An object of a kind with members set by their paths (`spec.ports.0.name`; undefined removes), defaulted. */
function made(name: string, changes: Readonly<Record<string, unknown>> = {}): ApiObject {
  const { definition, rules, object } = kindOf(name);
  const whole: ApiObject = { ...copy(object), metadata: { name: 'a', uid: 'u', ...copy(object.metadata ?? {}) } };
  setMembers(whole, changes);
  applyDefaults(definition.schema, whole);
  rules.defaults(whole);
  return whole;
}

function refusals(name: string, changes: Readonly<Record<string, unknown>> = {}): string[] {
  const { rules } = kindOf(name);
  const object = made(name, changes);
  rules.prepareForCreate(object, through());
  return [...rules.validateCreate(object)].flat().map(({ field, message }) => `${field}: ${message}`);
}

describe('as little as the release accepts', () => {
  it.each(Object.keys(KINDS))('%s', (name) => {
    expect(refusals(name)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['Service', { 'spec.ports': undefined, 'spec.clusterIP': 'None' }],
    ['Service', { 'spec.type': 'ExternalName', 'spec.ports': undefined, 'spec.externalName': 'example.com.' }],
    [
      'Service',
      {
        'spec.ports': [
          { port: 53, name: 't' },
          { port: 53, protocol: 'UDP', name: 'u' },
        ],
      },
    ],
    ['Service', { 'spec.ports': [{ port: 80, targetPort: 'http' }], 'spec.type': 'LoadBalancer' }],
    ['Service', { 'spec.externalIPs': ['2001:db8::1', '192.0.2.1'] }],
    ['Pod', { 'spec.tolerations': [{ operator: 'Exists' }], 'spec.nodeSelector': { a: '' } }],
    ['Pod', { 'spec.containers.0.resources': { requests: { cpu: '1' }, limits: { cpu: '1', 'example.com/x': '1' } } }],
    ['Pod', { 'spec.volumes': [{ name: 'v' }], 'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: '/v' }] }],
    ['Pod', { 'spec.containers.0.env': [{ name: 'A.b-C_1' }, { name: 'B', value: '' }] }],
    ['Pod', { 'spec.containers.0.livenessProbe': { tcpSocket: { port: 80 } } }],
    ['Deployment', { 'spec.strategy': { type: 'Recreate' } }],
    ['Deployment', { 'spec.strategy': { rollingUpdate: { maxUnavailable: 0 } } }],
    ['Deployment', { 'spec.replicas': 0, 'spec.template.spec.containers.0.image': ' ' }],
    ['StatefulSet', { 'spec.template.spec.containers.0.volumeMounts': [{ name: 'claim', mountPath: '/v' }] }],
    ['Ingress', { 'spec.rules': [{ host: '*.example.com' }] }],
    ['Ingress', { 'spec.rules': [{ http: { paths: [{ pathType: 'ImplementationSpecific', backend }] } }] }],
    ['NetworkPolicy', { 'spec.ingress': [{}], 'spec.egress': [{ ports: [{ port: 53, endPort: 60 }] }] }],
    ['CronJob', { 'spec.schedule': '@hourly', 'spec.timeZone': 'Europe/Berlin' }],
    ['CronJob', { 'spec.schedule': 'TZ=UTC 0-30/10 1,2 * jan MON-fri' }],
    ['Job', { 'spec.completions': undefined, 'spec.parallelism': 2 }],
    ['Role', { rules: [{ verbs: ['*'], apiGroups: [''], resources: ['pods'] }] }],
    ['ClusterRole', { rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] }],
    ['RoleBinding', { subjects: [{ kind: 'ServiceAccount', name: 's' }] }],
    ['Secret', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }],
    ['Secret', { type: 'helm.sh/release.v1' }],
    ['PersistentVolumeClaim', { 'spec.storageClassName': '' }],
    ['PriorityClass', { 'metadata.name': 'system-node-critical', value: 2_000_001_000 }],
  ])('%s with %j', (name, changes) => {
    expect(refusals(name, changes)).toEqual([]);
  });
});

const LABELS_MISS = 'Invalid value: map[string]string{"app":"a"}: `selector` does not match template `labels`';

describe('what the release refuses, in its words', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['Pod', { 'spec.containers': undefined }, ['spec.containers: Required value']],
    [
      'Pod',
      { 'spec.containers.0.name': 'A' },
      [
        expect.stringMatching(
          /^spec\.containers\[0\]\.name: Invalid value: "A": a lowercase RFC 1123 label must/,
        ) as never,
      ],
    ],
    [
      'Pod',
      { 'spec.containers.0.image': '', 'spec.initContainers': [{ name: 'c', image: 'b' }] },
      ['spec.containers[0].image: Required value', 'spec.initContainers[0].name: Duplicate value: "c"'],
    ],
    [
      'Pod',
      { 'spec.containers.0.imagePullPolicy': 'Maybe' },
      [
        'spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
    [
      'Pod',
      { 'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: '/v' }] },
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      'Pod',
      { 'spec.containers.0.ports': [{}, { containerPort: 70000, name: 'a--b' }] },
      [
        'spec.containers[0].ports[0].containerPort: Required value',
        'spec.containers[0].ports[1].name: Invalid value: "a--b": must not contain consecutive hyphens',
        'spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      'Pod',
      { 'spec.containers.0.resources': { requests: { cpu: '2' }, limits: { cpu: '1' } } },
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      'Pod',
      { 'spec.containers.0.livenessProbe': { successThreshold: 2 } },
      [
        'spec.containers[0].livenessProbe: Required value: must specify a handler type',
        'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
      ],
    ],
    [
      'Pod',
      { 'spec.containers.0.env': [{ name: '1' }, {}] },
      [
        "spec.containers[0].env[0].name: Invalid value: \"1\": a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
        'spec.containers[0].env[1].name: Required value',
      ],
    ],
    [
      'Pod',
      { 'spec.restartPolicy': 'Sometimes' },
      ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      'Pod',
      { 'spec.ephemeralContainers': [container] },
      [
        'spec.ephemeralContainers[0].name: Duplicate value: "c"',
        'spec.ephemeralContainers: Forbidden: cannot be set on create',
      ],
    ],
    ['Service', { 'spec.ports': undefined }, ['spec.ports: Required value']],
    [
      'Service',
      { 'spec.ports': [{ port: 80 }, { port: 80, name: 'b' }] },
      [
        'spec.ports[0].name: Required value',
        'spec.ports[1]: Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), Port:80, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
      ],
    ],
    [
      'Service',
      { 'spec.type': 'Nothing' },
      [
        'spec.type: Unsupported value: "Nothing": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      'Service',
      { 'spec.ports': [{ port: 80, nodePort: 30000 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'Service',
      { 'spec.externalTrafficPolicy': 'Local' },
      [
        "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set when `type` is 'NodePort' or 'LoadBalancer'",
      ],
    ],
    ['Service', { 'spec.type': 'ExternalName' }, ['spec.externalName: Required value']],
    [
      'Service',
      { 'spec.externalIPs': ['127.0.0.1', 'x'] },
      [
        'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'spec.externalIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    [
      'ConfigMap',
      { data: { a: '', '..b': '' }, binaryData: { a: '' } },
      [
        'data[a]: Invalid value: "a": duplicate of key present in binaryData',
        'data[..b]: Invalid value: "..b": must not start with \'..\'',
      ],
    ],
    ['ConfigMap', { data: { a: 'x'.repeat(1024 * 1024 + 1) } }, ['[]: Too long: must have at most 1048576 bytes']],
    ['Secret', { type: 'kubernetes.io/tls' }, ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
    [
      'Secret',
      { type: 'kubernetes.io/service-account-token' },
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    ['Secret', { type: 'kubernetes.io/dockerconfigjson' }, ['data[.dockerconfigjson]: Required value']],
    [
      'Deployment',
      { 'spec.selector': undefined },
      ['spec.selector: Required value', `spec.template.metadata.labels: ${LABELS_MISS}`],
    ],
    [
      'Deployment',
      { 'spec.selector': { matchLabels: { app: 'b' } }, 'spec.replicas': -1 },
      [
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        `spec.template.metadata.labels: ${LABELS_MISS}`,
      ],
    ],
    [
      'Deployment',
      { 'spec.selector': {} },
      [
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
      ],
    ],
    [
      'Deployment',
      { 'spec.strategy': { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when `maxSurge` is 0',
      ],
    ],
    [
      'Deployment',
      { 'spec.strategy': { type: 'Recreate', rollingUpdate: {} } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      'Deployment',
      { 'spec.template.spec.restartPolicy': 'Never', 'spec.progressDeadlineSeconds': 5, 'spec.minReadySeconds': 5 },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
      ],
    ],
    [
      'Job',
      { 'spec.template.spec.restartPolicy': 'Always' },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'CronJob',
      { 'spec.schedule': '* * * *' },
      ['spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]'],
    ],
    [
      'CronJob',
      { 'spec.schedule': '60 * * * 7' },
      ['spec.schedule: Invalid value: "60 * * * 7": end of range (60) above maximum (59): 60'],
    ],
    [
      'CronJob',
      { 'spec.timeZone': 'Mars/Base' },
      ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    ],
    [
      'CronJob',
      { 'metadata.name': 'x'.repeat(53) },
      [`metadata.name: Invalid value: "${'x'.repeat(53)}": must be no more than 52 characters`],
    ],
    [
      'HorizontalPodAutoscaler',
      { 'spec.minReplicas': 4, 'spec.scaleTargetRef.name': undefined },
      [
        'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
        'spec.scaleTargetRef.name: Required value',
      ],
    ],
    [
      'HorizontalPodAutoscaler',
      { 'spec.metrics': [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }] },
      [
        'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      ],
    ],
    [
      'Ingress',
      { 'spec.defaultBackend': undefined },
      ['spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified'],
    ],
    [
      'Ingress',
      {
        'spec.rules': [
          { host: '1.2.3.4', http: { paths: [{ path: 'a', pathType: 'Prefix', backend: {} }, { backend }] } },
        ],
      },
      [
        'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
        'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
        'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
        'spec.rules[0].http.paths[1].pathType: Required value: pathType must be specified',
      ],
    ],
    [
      'NetworkPolicy',
      { 'spec.ingress': [{ from: [{}, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }] }] },
      [
        'spec.ingress[0].from[0]: Required value: must specify a peer',
        'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
      ],
    ],
    [
      'PodDisruptionBudget',
      { 'spec.minAvailable': '101%', 'spec.selector': { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      [
        'spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
        'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
      ],
    ],
    [
      'PersistentVolumeClaim',
      { spec: {} },
      [
        'spec.accessModes: Required value: at least 1 access mode is required',
        'spec.resources[storage]: Required value',
      ],
    ],
    [
      'PersistentVolume',
      { 'spec.hostPath': undefined, 'spec.capacity': undefined },
      [
        'spec.capacity: Required value',
        'spec.capacity: Unsupported value: core.ResourceList(nil): supported values: "storage"',
        'spec: Required value: must specify a volume type',
      ],
    ],
    [
      'Role',
      { rules: [{ nonResourceURLs: ['/a'] }, { verbs: ['get'] }] },
      [
        'rules[0].verbs: Required value: verbs must contain at least one value',
        'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: namespaced rules cannot apply to non-resource URLs',
        'rules[1].apiGroups: Required value: resource rules must supply at least one api group',
        'rules[1].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    [
      'ClusterRoleBinding',
      {
        'roleRef.kind': 'Role',
        subjects: [
          { kind: 'ServiceAccount', name: 's' },
          { kind: 'Robot', name: 'r' },
        ],
      },
      [
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        'subjects[0].namespace: Required value',
        'subjects[1].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
      ],
    ],
    ['StorageClass', { provisioner: undefined }, ['provisioner: Required value']],
    [
      'PriorityClass',
      { value: 1_000_000_001 },
      ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    ],
    [
      'CertificateSigningRequest',
      { 'spec.usages': ['client auth', 'client auth'], 'spec.signerName': undefined },
      ['spec.usages[1]: Duplicate value: "client auth"', 'spec.signerName: Required value'],
    ],
  ])('%s with %j', (name, changes, expected) => {
    expect(refusals(name, changes)).toEqual(expected);
  });
});

describe('what may not change', () => {
  const changed = (name: string, before: Record<string, unknown>, after: Record<string, unknown>): string[] => {
    const { rules } = kindOf(name);
    const old = made(name, before);
    rules.prepareForCreate(old, through());
    if (before.status) old.status = copy(before.status);
    const object = copy(old);
    for (const [path, value] of Object.entries(after)) Object.assign(object, made(name, { ...before, [path]: value }));
    rules.prepareForUpdate(object, old, through());
    return [...rules.validateUpdate(object, old)].flat().map(({ field, message }) => `${field}: ${message}`);
  };

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    ['Deployment', {}, { 'spec.replicas': 5 }, []],
    [
      'Deployment',
      {},
      { spec: { selector: { matchLabels: { b: '1' } }, template: { ...template, metadata: { labels: { b: '1' } } } } },
      [
        'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"b":"1"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
      ],
    ],
    ['StatefulSet', {}, { 'spec.replicas': 5 }, []],
    [
      'StatefulSet',
      {},
      { 'spec.serviceName': 'other' },
      [
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ],
    ],
    ['Pod', {}, { 'spec.containers.0.image': 'other' }, []],
    ['Pod', {}, { 'spec.activeDeadlineSeconds': 5 }, []],
    [
      'Pod',
      {},
      { 'spec.nodeName': 'n' },
      [
        expect.stringMatching(
          /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,/,
        ) as never,
      ],
    ],
    ['StorageClass', {}, { parameters: { a: 'b' } }, ['parameters: Forbidden: updates to parameters are forbidden.']],
    ['StorageClass', {}, { allowVolumeExpansion: true }, []],
    ['PriorityClass', {}, { value: 5 }, ['value: Forbidden: may not be changed in an update.']],
    [
      'RoleBinding',
      {},
      { 'roleRef.name': 'other' },
      [
        'roleRef: Invalid value: rbac.RoleRef{APIGroup:"rbac.authorization.k8s.io", Kind:"Role", Name:"other"}: cannot change roleRef',
      ],
    ],
    [
      'PersistentVolumeClaim',
      {},
      { 'spec.resources.requests.storage': '2Gi' },
      ['spec: Forbidden: spec is immutable after creation except resources.requests for bound claims\n'],
    ],
    ['PersistentVolumeClaim', { status: { phase: 'Bound' } }, { 'spec.resources.requests.storage': '2Gi' }, []],
    ['PersistentVolumeClaim', {}, { 'spec.volumeName': 'v' }, []],
    [
      'IngressClass',
      {},
      { 'spec.controller': 'example.com/d' },
      ['spec.controller: Invalid value: "example.com/d": field is immutable'],
    ],
  ])('%s %j: %j', (name, before, after, expected) => {
    expect(changed(name, before, after)).toEqual(expected);
  });

  it('leaves what was stored under laxer rules to be labelled, reported on and let go', () => {
    const { rules } = kindOf('Deployment');
    const old: ApiObject = { metadata: { name: 'a', generation: 1, finalizers: ['example.com/f'] }, spec: {} };
    const object: ApiObject = { metadata: { name: 'a' }, spec: {}, status: { replicas: 1 } };
    expect([...rules.validateUpdate(object, old)].flat()).toEqual([]);
  });
});

describe('a Job that was made', () => {
  const { rules } = kindOf('Job');
  const stored = (spec: Record<string, unknown> = {}): ApiObject => {
    const job = made('Job', spec);
    rules.prepareForCreate(job, through());
    return job;
  };

  it('does what it was made for', () => {
    const old = stored();
    const object = copy(old);
    Object(object.spec).template.spec.containers[0].image = 'other';
    expect([...rules.validateUpdate(object, old)].flat()).toMatchObject([{ field: 'spec.template' }]);
    Object(object.spec).template = copy(Object(old.spec).template);
    Object(object.spec).parallelism = 5;
    expect([...rules.validateUpdate(object, old)].flat()).toEqual([]);
    Object(object.spec).completions = 5;
    expect([...rules.validateUpdate(object, old)].flat()).toMatchObject([{ field: 'spec.completions' }]);
  });

  it('may be sent elsewhere while it waits', () => {
    const old = stored({ 'spec.suspend': true });
    const object = copy(old);
    Object(object.spec).template.spec.nodeSelector = { zone: 'a' };
    expect([...rules.validateUpdate(object, old)].flat()).toEqual([]);
    expect(
      [...rules.validateUpdate(object, { ...old, status: { startTime: '2026-01-01T00:00:00Z' } })].flat(),
    ).toMatchObject([{ field: 'spec.template' }]);
  });
});

describe('a new event', () => {
  const place = { namespace: 'n' };
  const rulesOf = (group: string) => {
    const definition = scheme.resource(group, 'v1', 'events');
    if (!definition) throw new Error('no events');
    return kindRules(definition, names);
  };
  const refused = (group: string, event: ApiObject) =>
    [...rulesOf(group).validateCreate(event)].flat().map(({ field }) => field);

  it('stands where its object is', () => {
    expect(refused('', { metadata: place, involvedObject: { namespace: 'n' } })).toEqual([]);
    expect(refused('', { metadata: { namespace: 'default' }, involvedObject: {} })).toEqual([]);
    for (const namespace of ['m', '']) {
      expect(refused('', { metadata: place, involvedObject: { namespace } })).toEqual(['involvedObject.namespace']);
    }
  });

  it('says who reports it and what was done once it says when', () => {
    const event = { metadata: place, involvedObject: { namespace: 'n' }, eventTime: '2026-01-01T00:00:00.000000Z' };
    const fields = [
      'reportingComponent',
      'reportingComponent',
      'reportingComponent',
      'reportingInstance',
      'action',
      'reason',
    ];
    expect(refused('', event)).toEqual(fields);
  });

  it('has nothing of the older form in the group of its own', () => {
    const sent = (event: ApiObject) =>
      rulesOf('events.k8s.io')
        .validateServed(event)
        .map(({ field }) => field);
    expect(sent({ type: 'Odd', deprecatedCount: 1, deprecatedSource: { host: 'h' } })).toEqual([
      'eventTime',
      'type',
      'count',
      'source',
    ]);
    const event = {
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000000Z',
      deprecatedSource: {},
      deprecatedCount: 0,
    };
    expect(sent(event)).toEqual([]);
  });
});
