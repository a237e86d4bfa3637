import { CORE, type Filling, filled, type HeavyRequest, MAX_BODY_BYTES, post, typed } from './heavy-request.js';
import { storableCount } from './storable.js';

const namespaced = (group: string, resource: string) => `/apis/${group}/namespaces/default/${resource}`;
const PODS = `${CORE}/pods`;
const POD = typed('v1', 'Pod');
const POD_HEAD = `{${POD},"spec":{"containers":[{"name":"c","image":"i"`;
const POD_TAIL = '}]}}';

type Piece = (index: number) => string;
type Body = readonly [name: string, path: string, head: string, piece: Piece, tail: string, filling?: Filling];

/** Around one list of the only container of a pod. */
const inContainer = (name: string, list: string, piece: (index: number) => string): Body => [
  name,
  PODS,
  `${POD_HEAD},"${list}":[`,
  piece,
  `]${POD_TAIL}`,
];
const inPod = (name: string, list: string, piece: (index: number) => string): Body => [
  name,
  PODS,
  `{${POD},"spec":{"containers":[{"name":"c","image":"i"}],"${list}":[`,
  piece,
  ']}}',
];
const inMeta = (name: string, open: string, piece: (index: number) => string, close: string): Body => [
  name,
  `${CORE}/configmaps`,
  `{"metadata":{"name":"heavy",${open}`,
  piece,
  `${close}}}`,
];

const POD_LISTS: readonly Body[] = [
  ['containers', PODS, `{${POD},"spec":{"containers":[`, (i) => `{"name":"c${i}","image":"i"}`, ']}}'],
  ['containers of one name', PODS, `{${POD},"spec":{"containers":[`, () => '{"name":"c","image":"i"}', ']}}'],
  ['empty containers', PODS, `{${POD},"spec":{"containers":[`, () => '{}', ']}}'],
  ['containers of wrong names', PODS, `{${POD},"spec":{"containers":[`, (i) => `{"name":"C_${i}"}`, ']}}'],
  [
    'init containers',
    PODS,
    `{${POD},"spec":{"containers":[{"name":"c","image":"i"}],"initContainers":[`,
    (i) => `{"name":"c${i}","image":"i"}`,
    ']}}',
  ],
  [
    'containers with mounts of many volumes',
    PODS,
    `{${POD},"spec":{"volumes":[${list(8_000, (i) => `{"name":"v${i}"}`)}],"containers":[{"name":"c","image":"i","volumeMounts":[`,
    (i) => `{"name":"v${i}","mountPath":"/${i}"}`,
    ']}]}}',
  ],
  inContainer('environment', 'env', (i) => `{"name":"E${i}"}`),
  inContainer('environment of wrong names', 'env', (i) => `{"name":"${i} "}`),
  inContainer('environment from maps', 'envFrom', () => '{"configMapRef":{"name":"a"}}'),
  inContainer('ports', 'ports', (i) => `{"containerPort":${1 + (i % 65_535)}}`),
  inContainer('ports of names', 'ports', (i) => `{"containerPort":1,"name":"p${i}"}`),
  inContainer('host ports', 'ports', (i) => `{"containerPort":1,"hostPort":${1 + (i % 65_535)}}`),
  inContainer('empty ports', 'ports', () => '{}'),
  inContainer('mounts', 'volumeMounts', (i) => `{"name":"v","mountPath":"/${i}"}`),
  inContainer('mounts of one path', 'volumeMounts', () => '{"name":"v","mountPath":"/a"}'),
  inContainer('commands', 'command', () => '""'),
  inContainer('devices', 'volumeDevices', (i) => `{"name":"v${i}","devicePath":"/${i}"}`),
  inPod('volumes', 'volumes', (i) => `{"name":"v${i}"}`),
  inPod('volumes of one name', 'volumes', () => '{"name":"v","emptyDir":{}}'),
  inPod('tolerations', 'tolerations', (i) => `{"key":"k${i}"}`),
  inPod('wrong tolerations', 'tolerations', () => '{"operator":"x"}'),
  inPod('host aliases', 'hostAliases', () => '{"ip":"1.2.3.4","hostnames":["a"]}'),
  inPod('pull secrets', 'imagePullSecrets', (i) => `{"name":"s${i}"}`),
  inPod(
    'spread constraints',
    'topologySpreadConstraints',
    (i) => `{"maxSkew":1,"topologyKey":"k${i}","whenUnsatisfiable":"DoNotSchedule"}`,
  ),
  inPod('readiness gates', 'readinessGates', () => '{"conditionType":"a/b"}'),
  inPod('scheduling gates', 'schedulingGates', (i) => `{"name":"a/b${i}"}`),
  inPod('ephemeral containers', 'ephemeralContainers', (i) => `{"name":"e${i}"}`),
  ['resources', PODS, `${POD_HEAD},"resources":{"limits":{`, (i) => `"a/b${i}":"1"`, `}}${POD_TAIL}`],
  ['parts of resources', PODS, `${POD_HEAD},"resources":{"limits":{`, (i) => `"a/b${i}":"1500m"`, `}}${POD_TAIL}`],
  ['wrong resources', PODS, `${POD_HEAD},"resources":{"limits":{`, (i) => `"hugepages-${i}a b":"3"`, `}}${POD_TAIL}`],
  [
    'capabilities',
    PODS,
    `${POD_HEAD},"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"add":[`,
    () => '"CAP_SYS_ADMIN"',
    `]}}${POD_TAIL}`,
  ],
  [
    'projected files',
    PODS,
    `{${POD},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","projected":{"sources":[`,
    () => '{"secret":{"items":[{"key":"k","path":"a"}]}}',
    ']}}]}}',
  ],
  inPod('wrong host aliases', 'hostAliases', () => '{"ip":"x","hostnames":["A"]}'),
  [
    'wrong affinity',
    PODS,
    `{${POD},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[`,
    () => '{"topologyKey":"a b","labelSelector":{"matchLabels":{"a b":"a b"}}}',
    ']}}}}',
  ],
  [
    'name servers',
    PODS,
    `{${POD},"spec":{"containers":[{"name":"c","image":"i"}],"dnsConfig":{"nameservers":[`,
    () => '"x"',
    ']}}}',
  ],
  [
    'node selector',
    PODS,
    `{${POD},"spec":{"containers":[{"name":"c","image":"i"}],"nodeSelector":{`,
    (i) => `"k${i}":"v"`,
    '}}}',
  ],
  [
    'node affinity',
    PODS,
    `{${POD},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[`,
    () => '{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}',
    ']}}}}}',
  ],
];

const OTHERS: readonly Body[] = [
  inMeta('labels', '"labels":{', (i) => `"l${i}":""`, '}'),
  inMeta('wrong labels', '"labels":{', (i) => `"l${i}":" "`, '}'),
  inMeta('annotations', '"annotations":{', (i) => `"l${i}":""`, '}'),
  inMeta('wrong annotations', '"annotations":{', (i) => `"${i}!":""`, '}'),
  inMeta('finalizers', '"finalizers":[', (i) => `"a/f${i}"`, ']'),
  inMeta('one finalizer again and again', '"finalizers":[', () => '"a/f"', ']'),
  inMeta('wrong finalizers', '"finalizers":[', () => '"f f"', ']'),
  inMeta('owners', '"ownerReferences":[', (i) => `{"apiVersion":"v1","kind":"Pod","name":"a${i}","uid":"${i}"}`, ']'),
  inMeta('empty owners', '"ownerReferences":[', () => '{}', ']'),
  inMeta(
    'controllers',
    '"ownerReferences":[',
    (i) => `{"apiVersion":"v1","kind":"Pod","name":"a${i}","uid":"${i}","controller":true}`,
    ']',
  ),
  inMeta('managed fields', '"managedFields":[', () => '{}', ']'),
  [
    'rules',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    `{${typed('rbac.authorization.k8s.io/v1', 'ClusterRole')},"rules":[`,
    () => '{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}',
    ']}',
  ],
  [
    'empty rules',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    `{${typed('rbac.authorization.k8s.io/v1', 'ClusterRole')},"rules":[`,
    () => '{}',
    ']}',
  ],
  [
    'verbs',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    `{${typed('rbac.authorization.k8s.io/v1', 'ClusterRole')},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":[`,
    () => '"get"',
    ']}]}',
  ],
  [
    'subjects',
    namespaced('rbac.authorization.k8s.io/v1', 'rolebindings'),
    `{${typed('rbac.authorization.k8s.io/v1', 'RoleBinding')},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"a"},"subjects":[`,
    (i) => `{"kind":"User","name":"u${i}"}`,
    ']}',
  ],
  [
    'ingress rules',
    namespaced('networking.k8s.io/v1', 'ingresses'),
    `{${typed('networking.k8s.io/v1', 'Ingress')},"spec":{"rules":[`,
    (i) => `{"host":"h${i}.example.com"}`,
    ']}}',
  ],
  [
    'ingress paths',
    namespaced('networking.k8s.io/v1', 'ingresses'),
    `{${typed('networking.k8s.io/v1', 'Ingress')},"spec":{"rules":[{"http":{"paths":[`,
    (i) => `{"path":"/${i}","pathType":"Exact","backend":{"service":{"name":"a","port":{"number":1}}}}`,
    ']}}]}}',
  ],
  [
    'endpoint addresses',
    `${CORE}/endpoints`,
    `{${typed('v1', 'Endpoints')},"subsets":[{"addresses":[`,
    (i) => `{"ip":"10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}"}`,
    ']}]}',
  ],
  [
    'endpoint subsets',
    `${CORE}/endpoints`,
    `{${typed('v1', 'Endpoints')},"subsets":[`,
    () => '{"addresses":[{"ip":"10.0.0.1"}]}',
    ']}',
  ],
  [
    'endpoint slices',
    namespaced('discovery.k8s.io/v1', 'endpointslices'),
    `{${typed('discovery.k8s.io/v1', 'EndpointSlice')},"addressType":"IPv4","endpoints":[`,
    () => '{"addresses":["10.0.0.1"]}',
    ']}',
  ],
  [
    'network policies',
    namespaced('networking.k8s.io/v1', 'networkpolicies'),
    `{${typed('networking.k8s.io/v1', 'NetworkPolicy')},"spec":{"podSelector":{},"ingress":[{"from":[`,
    () => '{"ipBlock":{"cidr":"10.0.0.0/8"}}',
    ']}]}}',
  ],
  [
    'selector expressions',
    namespaced('networking.k8s.io/v1', 'networkpolicies'),
    `{${typed('networking.k8s.io/v1', 'NetworkPolicy')},"spec":{"podSelector":{"matchExpressions":[`,
    (i) => `{"key":"k${i}","operator":"In","values":["a"]}`,
    ']}}}',
  ],
  [
    'selector values',
    namespaced('networking.k8s.io/v1', 'networkpolicies'),
    `{${typed('networking.k8s.io/v1', 'NetworkPolicy')},"spec":{"podSelector":{"matchExpressions":[{"key":"k","operator":"In","values":[`,
    (i) => `"v${i}"`,
    ']}]}}}',
  ],
  [
    'service ports',
    `${CORE}/services`,
    `{${typed('v1', 'Service')},"spec":{"ports":[`,
    (i) => `{"name":"p${i}","port":${1 + (i % 65_535)}}`,
    ']}}',
  ],
  [
    'node ports',
    `${CORE}/services`,
    `{${typed('v1', 'Service')},"spec":{"type":"NodePort","ports":[`,
    (i) => `{"name":"p${i}","port":${1 + i}}`,
    ']}}',
    { count: 2_500 },
  ],
  [
    'service ports alike',
    `${CORE}/services`,
    `{${typed('v1', 'Service')},"spec":{"ports":[`,
    () => '{"port":1}',
    ']}}',
  ],
  [
    'external addresses',
    `${CORE}/services`,
    `{${typed('v1', 'Service')},"spec":{"ports":[{"port":1}],"externalIPs":[`,
    () => '"10.0.0.1"',
    ']}}',
  ],
  [
    'source ranges',
    `${CORE}/services`,
    `{${typed('v1', 'Service')},"spec":{"type":"LoadBalancer","ports":[{"port":1}],"loadBalancerSourceRanges":[`,
    () => '"10.0.0.0/8"',
    ']}}',
  ],
  [
    'a definition of many versions',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition('"versions":['),
    (i) => `{"name":"v${i}","served":true,"storage":${i === 0},"schema":{"openAPIV3Schema":{"type":"object"}}}`,
    ']}}',
  ],
  [
    'a definition of many properties',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition(
      '"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{',
    ),
    (i) => `"p${i}":{"type":"string"}`,
    '}}}}]}}',
  ],
  [
    'webhooks',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    `{${typed('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration')},"webhooks":[`,
    (i) =>
      `{"name":"w${i}.example.com","admissionReviewVersions":["v1"],"sideEffects":"None","clientConfig":{"url":"https://a"}}`,
    ']}',
  ],
  [
    'a limit range',
    `${CORE}/limitranges`,
    `{${typed('v1', 'LimitRange')},"spec":{"limits":[`,
    (i) => `{"type":"a/b${i}","max":{"storage":"1"}}`,
    ']}}',
  ],
  [
    'a quota',
    `${CORE}/resourcequotas`,
    `{${typed('v1', 'ResourceQuota')},"spec":{"hard":{`,
    (i) => `"a/b${i}":"1"`,
    '}}}',
  ],
  [
    'claim access modes',
    `${CORE}/persistentvolumeclaims`,
    `{${typed('v1', 'PersistentVolumeClaim')},"spec":{"resources":{"requests":{"storage":"1"}},"accessModes":[`,
    () => '"ReadWriteOnce"',
    ']}}',
  ],
  [
    'metrics',
    namespaced('autoscaling/v2', 'horizontalpodautoscalers'),
    `{${typed('autoscaling/v2', 'HorizontalPodAutoscaler')},"spec":{"maxReplicas":1,"scaleTargetRef":{"kind":"a","name":"b"},"metrics":[`,
    () => '{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":1}}}',
    ']}}',
  ],
  [
    'metrics of the old version',
    namespaced('autoscaling/v1', 'horizontalpodautoscalers'),
    `{"metadata":{"name":"heavy","annotations":{"autoscaling.alpha.kubernetes.io/metrics":"[${list(9_000, () => '{}')}]"}},"spec":{"maxReplicas":1,"scaleTargetRef":{"kind":"a","name":"b"},"x":[`,
    () => '0',
    ']}}',
  ],
  [
    'claim templates',
    namespaced('apps/v1', 'statefulsets'),
    `{${typed('apps/v1', 'StatefulSet')},"spec":{"selector":{"matchLabels":{"a":"b"}},"serviceName":"a","template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"volumeClaimTemplates":[`,
    (i) => `{"metadata":{"name":"v${i}"}}`,
    ']}}',
  ],
  [
    'containers of a deployment',
    namespaced('apps/v1', 'deployments'),
    `{${typed('apps/v1', 'Deployment')},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[`,
    (i) => `{"name":"c${i}","image":"i"}`,
    ']}}}}',
  ],
  [
    'containers of a cron job',
    namespaced('batch/v1', 'cronjobs'),
    `{${typed('batch/v1', 'CronJob')},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[`,
    (i) => `{"name":"c${i}","image":"i"}`,
    ']}}}}}}',
  ],
  [
    'claims of a node',
    '/api/v1/nodes',
    `{${typed('v1', 'Node')},"spec":{"taints":[`,
    (i) => `{"key":"k${i}","effect":"NoSchedule"}`,
    ']}}',
  ],
  [
    'topologies',
    '/apis/storage.k8s.io/v1/storageclasses',
    `{${typed('storage.k8s.io/v1', 'StorageClass')},"provisioner":"a/b","allowedTopologies":[`,
    (i) => `{"matchLabelExpressions":[{"key":"a","values":["v${i}"]}]}`,
    ']}',
  ],
  [
    'raw data',
    namespaced('apps/v1', 'controllerrevisions'),
    `{${typed('apps/v1', 'ControllerRevision')},"revision":1,"data":[`,
    () => '{}',
    ']}',
  ],
  [
    'raw data of keys',
    namespaced('apps/v1', 'controllerrevisions'),
    `{${typed('apps/v1', 'ControllerRevision')},"revision":1,"data":{`,
    (i) => `"k${i}":{}`,
    '}}',
  ],
];

function list(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join(',');
}

function definition(rest: string): string {
  return `{${typed('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'as.example.com')},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"as","kind":"A"},${rest}`;
}

const LONG = MAX_BODY_BYTES - 1000;
/** One text of the greatest length where a form is checked. */
const TEXTS: readonly (readonly [name: string, path: string, before: string, unit: string, after: string])[] = [
  ['a quantity of digits', PODS, `${POD_HEAD},"resources":{"requests":{"cpu":"`, '7', `"}}${POD_TAIL}`],
  ['a quantity that is none', PODS, `${POD_HEAD},"resources":{"requests":{"cpu":"`, '7', `!"}}${POD_TAIL}`],
  ['a quantity of decimals', PODS, `${POD_HEAD},"resources":{"requests":{"cpu":"0.`, '7', `"}}${POD_TAIL}`],
  ['a quantity of zeros', PODS, `${POD_HEAD},"resources":{"requests":{"cpu":"`, '0', `1"}}${POD_TAIL}`],
  ['a quantity of a great exponent', PODS, `${POD_HEAD},"resources":{"requests":{"cpu":"1e`, '7', `"}}${POD_TAIL}`],
  ['a quantity of letters', PODS, `${POD_HEAD},"resources":{"requests":{"cpu":"1`, 'e', `!"}}${POD_TAIL}`],
  ['an image', PODS, `{${POD},"spec":{"containers":[{"name":"c","image":"`, 'a:', '"}]}}'],
  ['an image of slashes', PODS, `{${POD},"spec":{"containers":[{"name":"c","image":"`, 'a/', '"}]}}'],
  ['a time', PODS, `{${POD},"status":{"startTime":"2026-01-01T00:00:00.`, '0', 'Z"}}'],
  ['a time that is none', PODS, `{${POD},"status":{"startTime":"2026-01-01T00:00:00.`, '0', '!"}}'],
  [
    'a duration',
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    `{"metadata":{"name":"a"},"spec":{"x":"`,
    '1s',
    '"}}',
  ],
  ['a label key', `${CORE}/configmaps`, '{"metadata":{"name":"heavy","labels":{"', 'a.', '":""}}}'],
  ['a label key of slashes', `${CORE}/configmaps`, '{"metadata":{"name":"heavy","labels":{"', 'a/', '":""}}}'],
  ['a label value', `${CORE}/configmaps`, '{"metadata":{"name":"heavy","labels":{"a":"', '-a', ' "}}}'],
  ['a name', `${CORE}/configmaps`, '{"metadata":{"name":"', 'a.', '"}}'],
  ['a name of dashes', `${CORE}/configmaps`, '{"metadata":{"name":"', 'a-', '!"}}'],
  ['a generated name', `${CORE}/configmaps`, '{"metadata":{"generateName":"', 'a-', '"}}'],
  ['a name of letters', PODS, '{"metadata":{"name":"', 'a', '!"}}'],
  [
    'a host',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    `{${typed('networking.k8s.io/v1', 'Ingress')},"spec":{"rules":[{"host":"*.`,
    'a.',
    '!"}]}}',
  ],
  [
    'a schedule',
    '/apis/batch/v1/namespaces/default/cronjobs',
    `{${typed('batch/v1', 'CronJob')},"spec":{"schedule":"`,
    '1,',
    '1 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}',
  ],
  [
    'a schedule of ranges',
    '/apis/batch/v1/namespaces/default/cronjobs',
    `{${typed('batch/v1', 'CronJob')},"spec":{"schedule":"`,
    '1-59/1,',
    '1 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}',
  ],
  [
    'a schedule of blanks',
    '/apis/batch/v1/namespaces/default/cronjobs',
    `{${typed('batch/v1', 'CronJob')},"spec":{"schedule":"`,
    ' *',
    '"}}',
  ],
  [
    'an address',
    `${CORE}/services`,
    `{${typed('v1', 'Service')},"spec":{"ports":[{"port":1}],"externalIPs":["`,
    '1:',
    '"]}}',
  ],
  [
    'a network',
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    `{${typed('networking.k8s.io/v1', 'NetworkPolicy')},"spec":{"podSelector":{},"ingress":[{"from":[{"ipBlock":{"cidr":"`,
    '1.',
    '"}}]}]}}',
  ],
  ['a variable', PODS, `${POD_HEAD},"env":[{"name":"`, 'A', ` "}]${POD_TAIL}`],
  ['a mount', PODS, `${POD_HEAD},"volumeMounts":[{"name":"v","mountPath":"`, '/..', `:"}]${POD_TAIL}`],
  [
    'a path',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    `{${typed('networking.k8s.io/v1', 'Ingress')},"spec":{"rules":[{"http":{"paths":[{"pathType":"Prefix","path":"`,
    '/',
    '"}]}}]}}',
  ],
  [
    'a certificate request',
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    `{${typed('certificates.k8s.io/v1', 'CertificateSigningRequest')},"spec":{"signerName":"a/b","usages":["digital signature"],"request":"`,
    'LS0t',
    '"}}',
  ],
  [
    'a trust bundle',
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    `{${typed('certificates.k8s.io/v1', 'CertificateSigningRequest')},"spec":{"signerName":"`,
    'a.',
    '","request":""}}',
  ],
  [
    'a docker secret',
    `${CORE}/secrets`,
    `{${typed('v1', 'Secret')},"type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"`,
    'W1tb',
    '"}}',
  ],
  ['a secret of texts', `${CORE}/secrets`, `{${typed('v1', 'Secret')},"stringData":{"a":"`, 'é', '"}}'],
  [
    'a pattern',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    `${definition('"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","pattern":"')}`,
    '(a+)+',
    '"}}}}}]}}',
  ],
];

/** As large as it may be with all its defaults. */
function storable(path: string, head: string, piece: Piece, tail: string, filling: Filling = {}): Buffer {
  const body = (count: number) => filled(head, piece, tail, { ...filling, count });
  return body(Math.min(filling.count ?? Number.POSITIVE_INFINITY, storableCount(path, body)));
}

export const kindBodies: readonly HeavyRequest[] = [
  ...[...POD_LISTS, ...OTHERS].map(([name, path, head, piece, tail, filling]) =>
    post(`kind: ${name}`, path, () => storable(path, head, piece, tail, filling)),
  ),
  ...TEXTS.map(([name, path, before, unit, after]) =>
    post(`text: ${name}`, path, () =>
      Buffer.from(before + unit.repeat(Math.floor(LONG / Buffer.byteLength(unit)) - 500) + after),
    ),
  ),
];
