/** About 5 KiB of JSON as kubectl sends it; `number` tells one change from the next. */
export function deployment(name: string, number: number): string {
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
    livenessProbe: { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1 },
    readinessProbe: { httpGet: { path: '/readyz', port: 8080, scheme: 'HTTP' }, periodSeconds: 5, timeoutSeconds: 1 },
    imagePullPolicy: 'IfNotPresent',
  });
  return JSON.stringify({
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name, namespace: 'default', labels, annotations: { 'example.com/change': String(number) } },
    spec: {
      replicas: (number % 5) + 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels },
        spec: {
          containers: ['web', 'proxy', 'log'].map(container),
          volumes: [{ name: 'data', emptyDir: {} }],
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
              ],
            },
          },
        },
      },
    },
  });
}
