import { definition, POD, POD_HEAD, POD_TAIL, PODS } from './body-parts.js';
import { CORE, type HeavyRequest, MAX_BODY_BYTES, post, typed } from './heavy-request.js';

const LONG = MAX_BODY_BYTES - 1000;
/** Texts of the maximum length, in members whose format is checked. */
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

/** Requests of one long text each. */
export const longTexts: readonly HeavyRequest[] = TEXTS.map(([name, path, before, unit, after]) =>
  post(`text: ${name}`, path, () =>
    Buffer.from(before + unit.repeat(Math.floor(LONG / Buffer.byteLength(unit)) - 500) + after),
  ),
);
