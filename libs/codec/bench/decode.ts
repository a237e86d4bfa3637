import { namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { decodeJsonObject, parseJson } from '../src/index.js';

/** Microseconds of CPU per call, the best of five rounds. */
function measure(run: () => void, calls = 20_000): string {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < calls; i++) run();
    best = Math.min(best, process.cpuUsage(start).user / calls);
  }
  return best.toFixed(1).padStart(7);
}

const scheme = loadScheme(namesOf('orch'));

const configMap = Buffer.from(
  JSON.stringify({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'settings', namespace: 'default', labels: { app: 'web', tier: 'front' } },
    data: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`key-${i}`, 'value '.repeat(5)])),
  }),
);

const container = (name: string) => ({
  name,
  image: `registry.example.com/team/${name}:1.2.3`,
  args: ['--listen=:8080', '--verbose'],
  env: [
    { name: 'A', value: '1' },
    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
  livenessProbe: { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1 },
  terminationMessagePath: '/dev/termination-log',
  imagePullPolicy: 'IfNotPresent',
});
const pod = Buffer.from(
  JSON.stringify({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'web-0',
      namespace: 'default',
      labels: { app: 'web' },
      creationTimestamp: '2026-01-02T03:04:05Z',
    },
    spec: {
      containers: [container('web'), container('proxy'), container('log')],
      volumes: [{ name: 'data', emptyDir: {} }],
      restartPolicy: 'Always',
      nodeName: 'node-1',
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }],
    },
  }),
);

for (const [name, plural, bytes] of [
  ['ConfigMap', 'configmaps', configMap],
  ['Pod', 'pods', pod],
] as const) {
  const schema = scheme.resource('', 'v1', plural)?.schema;
  if (!schema) throw new Error(`no ${plural}`);
  console.log(`${name}, ${bytes.length} bytes, µs per call`);
  console.log(`  JSON.parse        ${measure(() => JSON.parse(bytes.toString('utf8')))}`);
  console.log(`  parseJson         ${measure(() => parseJson(bytes))}`);
  console.log(`  decodeJsonObject  ${measure(() => decodeJsonObject(schema, bytes))}`);
}
