import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { CHART } from '../deploy/helm.js';
import type { ApiSettings } from '../support/api.js';
import type { Cluster } from './cluster.js';

export const NAMESPACE = 'orch';
/** The chart before this one, as test/deploy/charts has it. */
const CHART_BEFORE = fileURLToPath(new URL('../deploy/charts/orch-2026-11-27.tgz', import.meta.url));
const REUSING = '--reset-then-reuse-values';

/** Small, as two cores carry everything. */
const SMALL = {
  replicas: 2,
  watchCacheBytes: '256Mi',
  resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '1Gi' } },
};
/** Every credential that the chart takes comes from a Secret of its own; certificates are Helm's, as by default. */
const VALUES = {
  image: { repository: 'orch' },
  config: { historyRetention: '1m' },
  auth: {
    tokenSecret: 'tokens',
    clientCaSecret: 'client-ca',
    serviceAccountKeySecret: 'sa-keys',
    clusterSigningSecret: 'signing',
  },
  postgres: {
    urlSecret: 'orch-postgres',
    migratorUrlKey: 'migrator',
    apiServerUrlKey: 'api-server',
    gatewayUrlKey: 'gateway',
  },
  nats: {
    auth: { secret: 'nats', gatewaySecret: 'nats-gateway' },
    bundled: { image: 'nats:debian', storage: '64Mi', resources: { requests: { cpu: '20m', memory: '32Mi' } } },
  },
  apiServer: SMALL,
  gateway: { ...SMALL, autoscaling: { enabled: false } },
  // Charts of before end the load balancer where it may not open twice as many files.
  loadBalancer: {
    image: 'haproxy:debian',
    maxConnections: 2000,
    resources: { requests: { cpu: '50m', memory: '64Mi' } },
  },
};

/** The release of the chart in the cluster. */
export class Release {
  constructor(private readonly cluster: Cluster) {}

  /** URL for clients within the cluster. */
  readonly url = `https://orch-load-balancer.${NAMESPACE}.svc.cluster.local`;

  /** Installs the chart of before, and the release of before where there is one. */
  async install(): Promise<void> {
    const file = join(this.cluster.dir, 'values.json');
    writeFileSync(file, JSON.stringify(VALUES));
    await this.#helm('install', CHART_BEFORE, `--values=${file}`, '--set=image.tag=before');
  }

  /** Brings this chart and release, and further values. */
  upgrade = (...set: readonly string[]): Promise<void> =>
    this.#helm('upgrade', CHART, REUSING, ...set.map((value) => `--set=${value}`), '--set=image.tag=now');

  rollback = (): Promise<void> => this.#run('rollback', 'orch');

  uninstall = (): Promise<void> => this.#run('uninstall', 'orch');

  /** Returns the access of the administrator whose kubeconfig Helm has created. */
  async administrator(): Promise<ApiSettings> {
    const { kubeconfig = '' } = await this.cluster.secret(NAMESPACE, 'orch-admin');
    const { clusters, users } = parse(kubeconfig);
    const text = (base64: string) => Buffer.from(base64, 'base64').toString();
    const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user;
    const certificate = { cert: text(cert), key: text(key) };
    return { url: this.url, ca: text(clusters[0].cluster['certificate-authority-data']), certificate };
  }

  #helm = (command: string, chart: string, ...more: readonly string[]): Promise<void> =>
    this.#run(command, 'orch', chart, ...more);

  async #run(...args: readonly string[]): Promise<void> {
    await this.cluster.run('helm', ...args, `--namespace=${NAMESPACE}`);
    await this.cluster.settle(NAMESPACE);
  }
}
