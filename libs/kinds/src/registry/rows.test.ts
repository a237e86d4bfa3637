import { type ApiObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { expect, it } from 'vitest';
import { declarationOf, kindRules } from './registry.js';

const names = namesOf('kubernetes');
const scheme = loadScheme(names);
const NOW = Date.parse('2026-01-02T00:00:00Z');

/** One cell of an object's row, by the name of its column. */
function cell(place: string, column: string, object: ApiObject): unknown {
  const [group = '', version = '', plural = ''] = place.split(' ');
  const definition = scheme.resource(group === 'core' ? '' : group, version, plural);
  if (!definition) throw new Error(`no ${place}`);
  const index = definition.columns.findIndex(({ name }) => name === column);
  return kindRules(definition, names).cells({ metadata: { name: 'a' }, ...object }, NOW)[index];
}

const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
const ended = { lastState: { terminated: { finishedAt: ago(300) } } };
const external = { type: 'External', external: { target: { type: 'Value', value: '30' } } };
const kept = { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify([external]) } };

it.each<[string, string, ApiObject, unknown]>([
  [
    'core v1 services',
    'External-IP',
    {
      spec: { type: 'LoadBalancer', externalIPs: ['192.0.2.9'] },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.2' }, { ip: '192.0.2.1' }, { ip: '192.0.2.2' }] } },
    },
    '192.0.2.1,192.0.2.2,192.0.2.9',
  ],
  ['core v1 services', 'External-IP', { spec: { type: 'LoadBalancer' } }, '<pending>'],
  ['core v1 persistentvolumeclaims', 'Capacity', { spec: { volumeName: 'v' }, status: { phase: 'Pending' } }, '0'],
  ['core v1 persistentvolumeclaims', 'Capacity', { spec: {} }, ''],
  ['core v1 endpoints', 'Endpoints', { subsets: [{ notReadyAddresses: [{ ip: '10.0.0.1' }] }] }, ''],
  ['core v1 endpoints', 'Endpoints', {}, '<none>'],
  [
    'core v1 pods',
    'Restarts',
    { status: { initContainerStatuses: [{ ...ended, restartCount: 1, state: { terminated: { exitCode: 0 } } }] } },
    '0 (5m ago)',
  ],
  ['discovery.k8s.io v1 endpointslices', 'Ports', { ports: [{ name: '' }] }, '<unset>'],
  ['discovery.k8s.io v1 endpointslices', 'Ports', { ports: [{ name: 'http' }, {}, { port: 80 }] }, 'http,*,80'],
  [
    'networking.k8s.io v1 ingresses',
    'Hosts',
    { spec: { rules: [{ host: 'a' }, {}, { host: 'b' }, { host: 'c' }, {}] } },
    'a,b,c + 2 more...',
  ],
  ['networking.k8s.io v1 ingresses', 'Hosts', { spec: { rules: [{}] } }, '*'],
  [
    'rbac.authorization.k8s.io v1 rolebindings',
    'ServiceAccounts',
    {
      subjects: [
        { kind: 'ServiceAccount', name: 's' },
        { kind: 'ServiceAccount', namespace: 'n', name: 't' },
      ],
    },
    's, n/t',
  ],
  [
    'autoscaling v1 horizontalpodautoscalers',
    'Targets',
    { metadata: { name: 'a', ...kept }, spec: { targetCPUUtilizationPercentage: 50 } },
    '<unknown>/30, <unknown>/50%',
  ],
])('%s: %s of %j is %j', (place, column, object, text) => {
  expect(cell(place, column, object)).toBe(text);
});

it.each(
  scheme.resources.map(
    (definition) => [`${definition.group} ${definition.version} ${definition.resource}`, definition] as const,
  ),
)('%s computes each of its columns', (_place, definition) => {
  const row = declarationOf(definition, names)?.row?.({ metadata: { name: 'a' } }, NOW, names) ?? {};
  const computed = ['Name', 'Age', 'Created At', ...Object.keys(row)];
  expect(definition.columns.map(({ name }) => name).filter((name) => !computed.includes(name))).toEqual([]);
});
