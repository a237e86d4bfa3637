import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, LOAD_BALANCERS, waitUntil } from '../../tools/up/index.js';
import { buildInformer, InformerProcess } from '../clients/go-informer/informer-process.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { PacedWriters } from './paced-writers.js';
import { expectCaughtUp, openReflectors, populate } from './population.js';
import { refusalsOf, total } from './reflector.js';

/** The whole form, on a machine of its own: WRITES=500 WATCHES=1000. */
const WRITES = Number(process.env.WRITES ?? 100);
const WATCHES = Number(process.env.WATCHES ?? 200);
/** Watches of one collection, each of which gets every write there; writes are spread over all collections. */
const AUDIENCE = 20;
const OBJECTS = 20;
/** Long enough for the load balancer's checks to notice that a server goes. */
const SERVER_ARGS = ['--shutdown-delay-duration=3s', '--shutdown-drain-duration=10s'];
const INFORMED = 'crowd-0';

describe.each(LOAD_BALANCERS)('every server restarted in turn behind %s', (loadBalancer) => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;

  beforeAll(async () => {
    dir = makeServerFolder('orch-rolling-');
    cluster = await startCluster({ dir, loadBalancer, serverArgs: SERVER_ARGS });
    api = new Api(cluster);
  });

  afterAll(async () => {
    api?.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test(`no write is lost and nobody lists again, at ${WRITES} writes/s and ${WATCHES} watches`, async () => {
    const { collections, paths } = await populate(api, Math.ceil(WATCHES / AUDIENCE), OBJECTS);
    const reflectors = await openReflectors(api, collections, WATCHES);
    const informer = await clientGo(dir, cluster);
    await waitUntil('the informer has synced', 60_000, async () => (await informer.status()).synced);
    const writers = new PacedWriters(api, paths, { rate: WRITES, writers: 20 });
    const started = performance.now();

    for (const server of [...cluster.apiServers, ...cluster.gateways]) await server.restart();

    await writers.stop();
    const seconds = (performance.now() - started) / 1000;
    const { done, refused, lost } = writers.counts;
    const counts = total(reflectors);
    console.log(
      `${loadBalancer}: ${(done / seconds).toFixed(0)} writes/s, refused ${refused}, lost ${lost};`,
      counts,
      refusalsOf(reflectors),
    );
    await expectCaughtUp(api, collections, reflectors);
    expect(lost, writers.failures.join('\n')).toBe(0);
    // What never reached a server may be asked again; it is the rare exception of a connection that closes just then.
    expect(refused, writers.failures.join('\n')).toBeLessThanOrEqual(done / 200);
    expect(counts).toMatchObject({ lists: 0, gone: 0, cut: 0 });
    // Each gateway's streams were ended, and opened again elsewhere.
    expect(counts.streams).toBeGreaterThanOrEqual(WATCHES + WATCHES / 2);
    const [path] = collections;
    await waitUntil('the informer has seen everything', 30_000, async () => {
      const { version } = await informer.status();
      return BigInt(version) >= BigInt([...(reflectors[0]?.objects.values() ?? [])].sort(byVersion).at(-1) ?? 0);
    });
    expect(await informer.status(), path).toMatchObject({ lists: 1, gone410: 0, count: OBJECTS });
    await informer.stop();
    await Promise.all(reflectors.map((reflector) => reflector.stop()));
  }, 180_000);
});

const byVersion = (one: string, other: string) => (BigInt(one) < BigInt(other) ? -1 : 1);

/** A shared informer of client-go. */
async function clientGo(dir: string, { kubeconfig }: Cluster): Promise<InformerProcess> {
  const program = await buildInformer(dir);
  const logFile = join(dir, 'informer.log');
  return new InformerProcess({ program, kubeconfig, namespace: INFORMED, contentType: 'application/json', logFile });
}
