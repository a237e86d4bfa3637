import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, findPrograms, freePort, type ManagedProcess, natsServer } from '../../tools/up/index.js';
import { type Made, OpenSsl } from '../deploy/openssl.js';
import { Api } from '../support/api.js';
import { dashboardIn, queriesOf, shippedQueries } from './dashboards.js';
import { DATA_MS, expectData } from './expect-data.js';
import { Load } from './load.js';
import { ALERT_MS, isShipped, PATIENCE, WINDOW } from './pace.js';
import { type Probes, startProbes } from './probes.js';
import type { Prometheus } from './prometheus.js';
import { hurried, often, readRules, rulesText, valuesOf } from './rule-file.js';
import { SlowReaders } from './slow-readers.js';
import { openStage, RULES, type Stage } from './stage.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SHARED = join(process.env.ORCH_SHARED ?? here('../../../shared'), 'manifests', 'kube-prometheus');
const hasManifests = existsSync(SHARED);

/** Groups of the reference system's rules that are about its API server. */
const API_SERVER_GROUPS = /^kube-apiserver|^kubernetes-system$|^kubernetes-system-apiserver$/;
/** Metrics that do not exist here: aggregated servers, work queues, goroutines. docs/monitoring.md says so. */
const ABSENT = /aggregator_unavailable_apiservice|workqueue_|go_goroutines/;

const DAY_SECONDS = 86_400;

let stage: Stage;
let cluster: Cluster;
let prometheus: Prometheus;
let load: Load;
let api: Api;
let dir: string;
let probes: Probes;
/** A NATS that speaks TLS, beside the one of the cluster. */
let nats: ManagedProcess;
let natsPort: number;
/** Gives it a certificate for so many days, which it reads when it starts. */
let certify: (days: number) => Made;

const kubeRules = () =>
  readRules(join(SHARED, 'kubernetesControlPlane-prometheusRule.yaml')).filter(({ name }) =>
    API_SERVER_GROUPS.test(name),
  );

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-probes-'));
  const authority = new OpenSsl(dir).authority('nats', 300);
  certify = (days) =>
    new OpenSsl(dir).leaf('nats-tls', authority, {
      ...{ subject: '/CN=nats', usage: 'serverAuth', hosts: 'IP:127.0.0.1' },
      endsAt: Math.floor(Date.now() / 1000 + days * DAY_SECONDS) * 1000,
    });
  const { certFile, keyFile } = certify(300);
  natsPort = await freePort();
  const place = { dir, port: natsPort, detached: false };
  nats = natsServer(place, findPrograms(), ['--tls', '--tlscert', certFile, '--tlskey', keyFile]);
  await nats.start();
  stage = await openStage(
    { serverArgs: ['--watch-bookmark-interval=1s'], apiServerArgs: ['--gateway-silence-timeout=4s'] },
    {
      rules: hasManifests ? { 'kube.yml': rulesText(often(kubeRules())) } : {},
      scrapes: async ({ ca, url }) => {
        probes = await startProbes(join(dir, 'probes'), ca + authority.cert);
        const targets = {
          ...{ orch_readyz: `${url}/readyz`, orch_tls: new URL(url).host },
          orch_nats: `127.0.0.1:${natsPort}`,
        };
        return [probes.job(targets), ...probes.jobsOfChart(targets)];
      },
    },
  );
  ({ cluster, prometheus } = stage);
  load = new Load(cluster, stage.dir);
  api = new Api({ ...cluster, url: cluster.apiServerUrls[0] ?? '' });
});

afterAll(async () => {
  await load?.stop();
  api?.close();
  await stage?.close();
  await Promise.all([probes?.process.stop(), nats?.stop()]);
  rmSync(dir, { recursive: true });
});

/** Alerts about what has no series here before it goes wrong; they fire in `faults.test.ts`, the first one in `machines.test.ts`. */
const OF_FAULTS: ReadonlySet<string | undefined> = new Set([
  'OrchEmbeddedPostgresEnds',
  'OrchAdmissionWebhookFails',
  'OrchAdmissionWebhookFailsOpen',
  'OrchAdmissionWebhookHangs',
  'OrchConversionWebhookFails',
  'OrchReviewWebhookFails',
  'OrchRedisDown',
  'OrchObjectsUnreadable',
  'OrchTransformationsFail',
  'OrchKeyServiceFails',
  'OrchCertificateSigningFails',
  'OrchErrorsRepeat',
]);

/** Turns of the event loop that take so long are those of nobody's work. */
const BLOCK_MS = 900;

/** Has an api-server stand still. */
async function blockFor(ms: number): Promise<void> {
  await cluster.apiServers[0]?.kill('SIGSTOP');
  await pause(ms);
  await cluster.apiServers[0]?.kill('SIGCONT');
}

/** Has NATS show a certificate for so many days. */
async function certified(days: number): Promise<void> {
  certify(days);
  await nats.stop();
  await nats.start();
}

test('under load every query returns data, but of panels about what is not there', {
  timeout: 2 * DATA_MS,
}, async () => {
  const variables = { instance: '.*', __rate_interval: WINDOW };
  const queries = shippedQueries(variables);
  expect(queries.length).toBeGreaterThan(50);
  await expectData(
    prometheus,
    queries.filter(({ isSparse }) => !isSparse),
  );
});

test('and so does every value that a rule looks at', { timeout: 2 * DATA_MS }, async () => {
  const groups = hurried(readRules(RULES), WINDOW, PATIENCE);
  const rules = groups.flatMap(({ rules }) => rules);
  await expectData(
    prometheus,
    rules
      .filter(({ alert }) => !OF_FAULTS.has(alert))
      .flatMap((rule) => valuesOf(rule).map((query) => ({ where: rule.alert ?? rule.record ?? '', query }))),
  );
  for (const { name, health, lastError } of await prometheus.rules())
    expect([name, health, lastError]).toEqual([name, 'ok', undefined]);
});

test('the probes of the chart find what those of the configuration file do, under the same names', async () => {
  const found = async (namespace: string) => {
    const samples = await prometheus.query(`probe_success{job="orch-probes",namespace="${namespace}"}`);
    return samples.map(({ metric, value }) => `${metric.instance} ${value}`).sort();
  };
  const reached = [`127.0.0.1:${natsPort} 1`, `${new URL(cluster.url).host} 1`, `${cluster.url}/readyz 1`];
  await expect.poll(() => found('orch'), { timeout: DATA_MS }).toEqual(reached.sort());
  expect(await found('')).toEqual(reached);
});

test('in normal operation no alert fires', async () => {
  // Before its first scrape Prometheus knows of nobody.
  const alerts = 'ALERTS{alertstate="firing",alertname!~"Orch.*Missing"}';
  const fired = await prometheus.query(`max by (alertname) (max_over_time(${alerts}[5m]))`);
  expect(fired.map(({ metric }) => metric.alertname)).toEqual([]);
});

describe('alerts fire in their faults and end with them', { timeout: 3 * ALERT_MS }, () => {
  // What is measured is kept where one of them was asked for alone, too.
  afterEach(async () => {
    const unseen = [...(await stage.times())].filter(([, { fires }]) => fires === null);
    if (!isShipped) expect(unseen).toEqual([]);
  });

  test('processes are gone, clients read nothing, and a certificate nears its end', async () => {
    const gone = [cluster.gateways[0], cluster.apiServers[1], cluster.loadBalancer, cluster.nats];
    const down = ['OrchGatewayDown', 'OrchApiServerDown', 'OrchLoadBalancerDown', 'OrchNatsDown', 'OrchProbeFails'];
    await stage.breaks(down, () => Promise.all(gone.map((process) => process?.kill('SIGKILL'))));
    await stage.breaks(['OrchProbedCertificateExpires'], () => certified(10));
    const readers = await SlowReaders.open(api, cluster, cluster.gatewayUrls[1]);
    await stage.breaks(['OrchWatchersStalled'], () => readers.fallBehind());
    await stage.firing();
    await stage.mends(async () => {
      readers.close();
      await Promise.all([...gone.map((process) => process?.start()), certified(300)]);
    });
    await stage.silent();
  });

  test('a gateway and an api-server stand still, PostgreSQL is down, and then nobody is found', async () => {
    const watches = await Promise.all(
      Array.from({ length: 6 }, () => api.watch('/api/v1/secrets?watch=1&allowWatchBookmarks=true')),
    );
    const still = ['OrchGatewayDown', 'OrchGatewayStreamsCut'];
    await stage.breaks(still, () => cluster.gateways[1]?.kill('SIGSTOP'));
    const database = ['OrchPostgresDown', 'OrchNotReady', 'OrchRequestErrors', 'OrchFeedLag', 'OrchRingBehind'];
    await stage.breaks(database, () => cluster.postgres.kill('SIGKILL'));
    // The load balancer answers, and nobody behind it is ready.
    await stage.breaks(['OrchProbeFails'], () => undefined);
    const over = new AbortController();
    let blocked: Promise<unknown> = Promise.resolve();
    await stage.breaks(['OrchEventLoopBlocked'], () => {
      blocked = load.again(() => blockFor(BLOCK_MS), over.signal);
    });
    await stage.firing();
    await stage.mends(async () => {
      over.abort();
      await blocked;
      await cluster.gateways[1]?.kill('SIGCONT');
      await cluster.postgres.start();
    });
    for (const watch of watches) watch.close();
    // When each ends is measured where that is asked for. Else they are seen to be over when servers are found again.
    if (isShipped) await stage.silent();
    const missing = ['OrchApiServersMissing', 'OrchGatewaysMissing', 'OrchHealthChecksMissing'];
    await stage.breaks(missing, () => stage.loseTargets());
    await stage.firing();
    await stage.mends(() => stage.findTargets());
    await stage.silent();
  });
});

describe.runIf(hasManifests)('the rules and the dashboard of existing clusters', { timeout: 2 * DATA_MS }, () => {
  test('records about the API server have data', async () => {
    const records = kubeRules().flatMap(({ rules }) => rules.filter(({ record }) => record !== undefined));
    expect(records.length).toBeGreaterThan(20);
    await expectData(
      prometheus,
      [...new Set(records.map(({ record = '' }) => record))].map((query) => ({ where: query, query })),
    );
  });

  test('the dashboard of the API server has data', async () => {
    const json = dashboardIn(join(SHARED, 'grafana-dashboardDefinitions.yaml'), 'apiserver.json');
    const queries = queriesOf('apiserver.json', json, { cluster: '', instance: '.*', __rate_interval: WINDOW });
    await expectData(
      prometheus,
      queries.filter(({ query }) => !ABSENT.test(query)),
    );
  });

  test('what alerts look at is there', async () => {
    const metrics = kubeRules()
      .flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined))
      .flatMap(({ expr }) => expr.match(/\b(?:apiserver|rest_client|kubernetes)_\w+(?=\{)|\bup(?=\{)/g) ?? []);
    // Without a series until a request has been terminated, as in the reference system.
    const expected = new Set(metrics.filter((name) => name !== 'apiserver_request_terminations_total'));
    await expectData(
      prometheus,
      [...expected].map((query) => ({ where: 'alerts', query })),
    );
  });
});
