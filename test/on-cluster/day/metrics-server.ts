import { join } from 'node:path';
import { accepts, ManagedProcess, waitUntil } from '../../../tools/up/index.js';
import { buildOperator } from '../../clients/operators/build-operator.js';
import type { Cluster } from '../cluster.js';
import { SERVER_ADDRESS } from '../place.js';

const METRICS_SERVER = {
  ...{ name: 'metrics-server', module: 'sigs.k8s.io/metrics-server', version: 'v0.8.0', main: 'cmd/metrics-server' },
};
const PORT = 4443;
const KNOWN_MS = 120_000;

/** Path of metrics-server, compiled from its published module: some minutes at first, then it is in the user's cache. */
export const buildMetricsServer = (): string => buildOperator(METRICS_SERVER).program;

/** Starts metrics-server outside of pods, behind a Service, as the server of `metrics.k8s.io`; resolves when it knows all nodes. */
export async function startMetricsServer(cluster: Cluster): Promise<ManagedProcess> {
  const connection = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
    (flag) => `--${flag}=${cluster.plane.kubeconfig('admin')}`,
  );
  const server = new ManagedProcess({
    ...{ name: METRICS_SERVER.name, command: buildMetricsServer(), logFile: join(cluster.dir, 'metrics-server.log') },
    args: [
      ...[...connection, `--secure-port=${PORT}`, `--cert-dir=${join(cluster.dir, 'metrics-server')}`],
      ...[
        '--kubelet-insecure-tls',
        '--kubelet-preferred-address-types=InternalIP',
        '--metric-resolution=10s',
        '--kubelet-request-timeout=5s',
      ],
    ],
    ready: () => accepts(PORT, SERVER_ADDRESS),
  });
  await server.start();
  await cluster.apply(...OBJECTS);
  await waitUntil('metrics-server knows the nodes', KNOWN_MS, async () => {
    const { code, stdout } = await cluster.kubectl.run(['top', 'nodes', '--no-headers']);
    return code === 0 && stdout.trim().split('\n').length === cluster.nodes.length;
  });
  return server;
}

const metadata = { name: 'metrics-server', namespace: 'kube-system' };
const OBJECTS = [
  { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 443, targetPort: PORT }] } },
  {
    ...{ apiVersion: 'v1', kind: 'Endpoints', metadata },
    subsets: [{ addresses: [{ ip: SERVER_ADDRESS }], ports: [{ port: PORT }] }],
  },
  {
    ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1beta1.metrics.k8s.io' } },
    spec: {
      ...{ group: 'metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 },
      ...{ service: metadata, insecureSkipTLSVerify: true },
    },
  },
];
