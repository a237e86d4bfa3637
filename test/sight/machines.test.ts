import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { MovableClock } from './clock.js';
import { configuredJob } from './configured-job.js';
import { type PanelQuery, shippedQueries } from './dashboards.js';
import { expectData } from './expect-data.js';
import { Load } from './load.js';
import { LossyNats } from './lossy-nats.js';
import { ALERT_MS, isShipped, WINDOW } from './pace.js';
import { openStage, type Stage } from './stage.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const HOUR_MS = 3_600_000;
const WRITE_MS = 200;
/** Longest waits in seconds: the alert of the embedded PostgreSQL looks back an hour. */
const LONGEST = { fires: 20 * 60, ends: 65 * 60 };

let dir: string;
let clock: MovableClock;
let nats: LossyNats;
let standalone: Standalone;
let stage: Stage;
let api: Api;
let gateway: Api;
const over = new AbortController();
let load: Promise<unknown>;
let ofStandalone: Load;

/** Asks the standalone server as who has `deploy/prometheus/prometheus.yml` does. */
function scrapesOf({ url, ca, token }: Standalone): object[] {
  const file = (name: string, text: string) => {
    writeFileSync(join(dir, name), text, { mode: 0o600 });
    return join(dir, name);
  };
  return ['apiserver', 'health'].map((name) => ({
    ...configuredJob(name),
    // Longer than the time between two scrapes at the pace of tests.
    scrape_timeout: undefined,
    tls_config: { ca_file: file('standalone.crt', ca) },
    authorization: { credentials_file: file('standalone.token', token) },
    static_configs: [{ targets: [new URL(url).host] }],
  }));
}

async function again(work: () => Promise<unknown>): Promise<void> {
  while (!over.signal.aborted) {
    await work().catch(() => undefined);
    await pause(WRITE_MS);
  }
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'orch-machines-'));
  clock = new MovableClock(join(dir, 'clock'));
  standalone = await startStandalone({ naming: 'orch' });
  stage = await openStage(
    {
      ...{ apiServers: 1, gateways: 1 },
      env: (server) => (server === 'api-server-0' ? clock.env : {}),
      async route(server, backend, port) {
        if (server !== 'watch-gateway-0' || backend !== 'nats') return port;
        nats = await LossyNats.open(port);
        return nats.port;
      },
    },
    { scrapes: async () => scrapesOf(standalone), longest: LONGEST },
  );
  api = new Api({ ...stage.cluster, url: stage.cluster.apiServerUrls[0] ?? '' });
  gateway = new Api({ ...stage.cluster, url: stage.cluster.gatewayUrls[0] ?? '' });
  ofStandalone = new Load({ ...standalone, apiServerUrls: [standalone.url] }, dirname(standalone.postgresDir));
  const writing = again(() => api.post(CONFIG_MAPS, { metadata: { generateName: 'a-' } }));
  const watching = again(async () => (await gateway.watch(`${CONFIG_MAPS}?watch=1&timeoutSeconds=5`)).rest());
  load = Promise.all([writing, watching]);
});

afterAll(async () => {
  over.abort();
  api?.close();
  gateway?.close();
  await Promise.all([load, ofStandalone?.stop()]);
  await stage?.close();
  await Promise.all([nats?.close(), standalone?.stop()]);
  rmSync(dir, { recursive: true });
});

/** Kills the embedded PostgreSQL, which its server starts again. */
function killPostgres(): void {
  const [pid] = readFileSync(join(standalone.postgresDir, 'data', 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

/** Metrics that a standalone server lacks: it has no gateways, and no other server proxies watches to it. */
const OF_TIERS = /rest_client_requests_total/;

test('panels show a standalone server of the other naming profile, too', { timeout: 2 * ALERT_MS }, async () => {
  const { host } = new URL(standalone.url);
  const variables = { instance: host, __rate_interval: WINDOW };
  const queries = shippedQueries(variables).filter(({ query }) => query.includes(host));
  expect(queries.length).toBeGreaterThan(50);
  const isThere = ({ query, isSparse }: PanelQuery) =>
    query.includes('orch_embedded_postgres') || !(isSparse || OF_TIERS.test(query));
  await expectData(stage.prometheus, queries.filter(isThere));
});

test('alerts fire when a clock is off, messages are lost and the embedded PostgreSQL ends, and end with that', {
  timeout: isShipped ? 2 * HOUR_MS : 3 * ALERT_MS,
}, async () => {
  await stage.silent();
  await stage.breaks(['OrchEmbeddedPostgresEnds'], killPostgres);
  // Its server starts it again at once: the fault is over, and not its alert.
  await stage.mends(() => undefined);
  await stage.breaks(['OrchClockOff'], () => clock.move(-60));
  await stage.breaks(['OrchFeedHeals'], () => {
    nats.losesOneIn = 2;
  });
  await stage.firing();
  await stage.mends(() => {
    nats.losesOneIn = undefined;
    clock.move(0);
  });
  await stage.silent();
  expect(nats.lost).toBeGreaterThan(0);
  const unseen = [...(await stage.times())].filter(([, { fires }]) => fires === null);
  expect(unseen).toEqual([]);
});
