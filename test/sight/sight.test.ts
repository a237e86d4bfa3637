import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, startCluster, waitUntil } from '../../tools/up/index.js';
import { dashboardIn, type PanelQuery, queriesOf } from './dashboards.js';
import { Load } from './load.js';
import { type MonitoredPod, podMonitors, scrapeConfigsOf } from './pod-monitors.js';
import { Prometheus } from './prometheus.js';
import { hurried, often, readRules, rulesText, valuesOf } from './rule-file.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const RULES = here('../../deploy/prometheus/rules/orch.yml');
const DASHBOARDS = here('../../deploy/grafana');
const SHARED = join(process.env.ORCH_SHARED ?? here('../../../shared'), 'manifests', 'kube-prometheus');
const hasManifests = existsSync(SHARED);

/** Groups of the reference system's rules that are about its API server. */
const API_SERVER_GROUPS = /^kube-apiserver|^kubernetes-system$|^kubernetes-system-apiserver$/;
/** What there is none of here: aggregated servers, work queues, goroutines. docs/monitoring.md says so. */
const ABSENT = /aggregator_unavailable_apiservice|workqueue_|go_goroutines/;

const WINDOW = '20s';
const PATIENCE = '8s';
const DATA_MS = 60_000;
const ALERT_MS = 60_000;

let dir: string;
let cluster: Cluster;
let prometheus: Prometheus;
let load: Load;

const kubeRules = () =>
  readRules(join(SHARED, 'kubernetesControlPlane-prometheusRule.yaml')).filter(({ name }) =>
    API_SERVER_GROUPS.test(name),
  );

/** The servers as the pods that the chart would make of them. */
const pods = ({ apiServerUrls, gatewayUrls, loadBalancerHealthUrl }: Cluster): MonitoredPod[] => {
  const servers = (component: string, urls: readonly string[]) =>
    urls.map((url) => ({ component, ports: { https: new URL(url).host } }));
  return [
    ...servers('api-server', apiServerUrls),
    ...servers('watch-gateway', gatewayUrls),
    { component: 'load-balancer', ports: { health: new URL(loadBalancerHealthUrl).host } },
  ];
};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-sight-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  cluster = await startCluster({ dir, apiServers: 2, gateways: 2, loadBalancer: 'haproxy' });
  const monitors = podMonitors();
  prometheus = await Prometheus.start({
    dir: join(dir, 'prometheus'),
    scrapeConfigs: (files) => scrapeConfigsOf(monitors, pods(cluster), files),
    rules: {
      'orch.yml': rulesText(hurried(readRules(RULES), WINDOW, PATIENCE)),
      ...(hasManifests && { 'kube.yml': rulesText(often(kubeRules())) }),
    },
    ca: cluster.ca,
    token: cluster.token,
  });
  load = new Load(cluster, dir);
});

afterAll(async () => {
  await load?.stop();
  await prometheus?.process.stop();
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Metrics of `orch standalone` alone, which is not what runs here; their rules are tried in `rules.test.yml`. */
const OF_STANDALONE = 'orch_embedded_postgres_';

/** Waits until every query has a value that is a number; names those that have none. */
async function expectData(queries: readonly PanelQuery[]): Promise<void> {
  let missing: PanelQuery[] = [...queries];
  const check = async () => {
    const answers = await Promise.all(missing.map(({ query }) => prometheus.query(query)));
    missing = missing.filter((_query, at) => !answers[at]?.some(({ value }) => !Number.isNaN(value)));
    return missing.length === 0;
  };
  await waitUntil('queries return data', DATA_MS, check).catch(() => undefined);
  expect(missing).toEqual([]);
}

const firing = (...names: readonly string[]) =>
  waitUntil(`${names.join(', ')} fire`, ALERT_MS, async () => {
    const now = await prometheus.firing();
    return names.every((name) => now.includes(name));
  });
const silent = () => waitUntil('no alert fires', ALERT_MS, async () => (await prometheus.firing()).length === 0);

test('under load every query of every panel returns data', { timeout: 2 * DATA_MS }, async () => {
  const variables = { instance: '.*', __rate_interval: WINDOW };
  const files = readdirSync(DASHBOARDS).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThan(3);
  const read = (name: string) => readFileSync(join(DASHBOARDS, name), 'utf8');
  await expectData(files.flatMap((name) => queriesOf(name, read(name), variables)));
});

test('and so does every value that a rule looks at', { timeout: 2 * DATA_MS }, async () => {
  const groups = hurried(readRules(RULES), WINDOW, PATIENCE);
  const rules = groups.flatMap(({ rules }) => rules);
  await expectData(
    rules.flatMap((rule) =>
      valuesOf(rule)
        .filter((query) => !query.includes(OF_STANDALONE))
        .map((query) => ({ where: rule.alert ?? rule.record ?? '', query })),
    ),
  );
  for (const { name, health, lastError } of await prometheus.rules())
    expect([name, health, lastError]).toEqual([name, 'ok', undefined]);
});

test('in normal operation no alert fires', async () => {
  const fired = await prometheus.query('max by (alertname) (max_over_time(ALERTS{alertstate="firing"}[5m]))');
  expect(fired.map(({ metric }) => metric.alertname)).toEqual([]);
});

describe('alerts fire in their faults and end with them', { timeout: 3 * ALERT_MS }, () => {
  test('a gateway is down', async () => {
    await cluster.gateways[0]?.kill('SIGKILL');
    await firing('OrchGatewayDown');
    await cluster.gateways[0]?.start();
    await silent();
  });

  test('a gateway is stuck', async () => {
    await cluster.gateways[1]?.kill('SIGSTOP');
    await firing('OrchGatewayDown');
    await cluster.gateways[1]?.kill('SIGCONT');
    await silent();
  });

  test('an api-server is down', async () => {
    await cluster.apiServers[1]?.kill('SIGKILL');
    await firing('OrchApiServerDown');
    await cluster.apiServers[1]?.start();
    await silent();
  });

  test('the load balancer is down', async () => {
    await cluster.loadBalancer.kill('SIGKILL');
    await firing('OrchLoadBalancerDown');
    await cluster.loadBalancer.start();
    await silent();
  });

  test('NATS is down', async () => {
    await cluster.nats.kill('SIGKILL');
    await firing('OrchNatsDown');
    await cluster.nats.start();
    await silent();
  });

  test('PostgreSQL is down', async () => {
    await cluster.postgres.kill('SIGKILL');
    await firing('OrchPostgresDown', 'OrchNotReady', 'OrchRequestErrors', 'OrchFeedLag', 'OrchRingBehind');
    await cluster.postgres.start();
    await silent();
  });
});

describe.runIf(hasManifests)('the rules and the dashboard of existing clusters', { timeout: 2 * DATA_MS }, () => {
  test('records about the API server have data', async () => {
    const records = kubeRules().flatMap(({ rules }) => rules.filter(({ record }) => record !== undefined));
    expect(records.length).toBeGreaterThan(20);
    await expectData([...new Set(records.map(({ record = '' }) => record))].map((query) => ({ where: query, query })));
  });

  test('the dashboard of the API server has data', async () => {
    const json = dashboardIn(join(SHARED, 'grafana-dashboardDefinitions.yaml'), 'apiserver.json');
    const queries = queriesOf('apiserver.json', json, { cluster: '', instance: '.*', __rate_interval: WINDOW });
    await expectData(queries.filter(({ query }) => !ABSENT.test(query)));
  });

  test('what alerts look at is there', async () => {
    const metrics = kubeRules()
      .flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined))
      .flatMap(({ expr }) => expr.match(/\b(?:apiserver|rest_client|kubernetes)_\w+(?=\{)|\bup(?=\{)/g) ?? []);
    // Without a series until a request has been terminated, as in the reference system.
    const expected = new Set(metrics.filter((name) => name !== 'apiserver_request_terminations_total'));
    await expectData([...expected].map((query) => ({ where: 'alerts', query })));
  });
});
