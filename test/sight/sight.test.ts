import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { dashboardIn, type PanelQuery, queriesOf } from './dashboards.js';
import { Load } from './load.js';
import type { Prometheus } from './prometheus.js';
import { hurried, often, readRules, rulesText, valuesOf } from './rule-file.js';
import { ALERT_MS, openStage, PATIENCE, RULES, type Stage, WINDOW } from './stage.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const DASHBOARDS = here('../../deploy/grafana');
const SHARED = join(process.env.ORCH_SHARED ?? here('../../../shared'), 'manifests', 'kube-prometheus');
const hasManifests = existsSync(SHARED);

/** Groups of the reference system's rules that are about its API server. */
const API_SERVER_GROUPS = /^kube-apiserver|^kubernetes-system$|^kubernetes-system-apiserver$/;
/** What there is none of here: aggregated servers, work queues, goroutines. docs/monitoring.md says so. */
const ABSENT = /aggregator_unavailable_apiservice|workqueue_|go_goroutines/;

const DATA_MS = 60_000;

let stage: Stage;
let cluster: Cluster;
let prometheus: Prometheus;
let load: Load;

const kubeRules = () =>
  readRules(join(SHARED, 'kubernetesControlPlane-prometheusRule.yaml')).filter(({ name }) =>
    API_SERVER_GROUPS.test(name),
  );

beforeAll(async () => {
  stage = await openStage({}, hasManifests ? { 'kube.yml': rulesText(often(kubeRules())) } : {});
  ({ cluster, prometheus } = stage);
  load = new Load(cluster, stage.dir);
});

afterAll(async () => {
  await load?.stop();
  await stage?.close();
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
    await stage.firing('OrchGatewayDown');
    await cluster.gateways[0]?.start();
    await stage.silent();
  });

  test('a gateway is stuck', async () => {
    await cluster.gateways[1]?.kill('SIGSTOP');
    await stage.firing('OrchGatewayDown');
    await cluster.gateways[1]?.kill('SIGCONT');
    await stage.silent();
  });

  test('an api-server is down', async () => {
    await cluster.apiServers[1]?.kill('SIGKILL');
    await stage.firing('OrchApiServerDown');
    await cluster.apiServers[1]?.start();
    await stage.silent();
  });

  test('the load balancer is down', async () => {
    await cluster.loadBalancer.kill('SIGKILL');
    await stage.firing('OrchLoadBalancerDown');
    await cluster.loadBalancer.start();
    await stage.silent();
  });

  test('NATS is down', async () => {
    await cluster.nats.kill('SIGKILL');
    await stage.firing('OrchNatsDown');
    await cluster.nats.start();
    await stage.silent();
  });

  test('PostgreSQL is down', async () => {
    await cluster.postgres.kill('SIGKILL');
    await stage.firing('OrchPostgresDown', 'OrchNotReady', 'OrchRequestErrors', 'OrchFeedLag', 'OrchRingBehind');
    await cluster.postgres.start();
    await stage.silent();
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
