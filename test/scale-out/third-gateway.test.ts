import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import { openReflectors, populate } from './population.js';
import { type Reflector, total } from './reflector.js';

const WATCHES = Number(process.env.WATCHES ?? 2_000);
/** `--max-watch-age`, seconds. */
const AGE_S = 20;
/** Time over which the database's transactions are counted, and how often at most: what else it does comes and goes. */
const COUNTED_MS = 5_000;
const COUNTS = 3;
const MOST_COUNTS = 9;
/** Transactions a second that a gateway may add: a poll of heads, and what it does besides. */
const ONE_POLL = 3;

let dir: string;
let cluster: Cluster;
let api: Api;
let reflectors: Reflector[] = [];

beforeAll(async () => {
  dir = makeServerFolder('orch-scale-');
  cluster = await startCluster({ dir, gateways: 3, serverArgs: [`--max-watch-age=${AGE_S}s`] });
  api = new Api(cluster);
});

afterAll(async () => {
  await Promise.all(reflectors.map((reflector) => reflector.stop()));
  api?.close();
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Open watches of each gateway that runs. */
async function watchersOfEach(): Promise<number[]> {
  const urls = cluster.gatewayUrls.filter((_, index) => cluster.gateways[index]?.running);
  return Promise.all(
    urls.map(async (url) => {
      const server = new Api({ url, ca: cluster.ca, token: cluster.token });
      const metrics = (await server.get('/metrics')).text;
      server.close();
      return [...metrics.matchAll(/^orch_watch_cache_watchers\{[^}]*\} (\d+)/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    }),
  );
}

/**
 * Whether none has more than a fifth more, or less, than its share of those that are open: on a slow machine some are
 * always on their way back.
 */
const isEven = (counts: readonly number[]): boolean => {
  const open = counts.reduce((sum, count) => sum + count, 0);
  const share = open / counts.length;
  return open >= WATCHES / 2 && counts.every((count) => Math.abs(count - share) <= share / 5);
};

/**
 * Transactions a second in the quietest of several whiles: whatever else the database does (vacuum, streams on their way
 * back) only adds to them. Goes on while there are more than `enough`.
 */
async function lowestRate(enough: number): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < COUNTS || (lowest >= enough && count < MOST_COUNTS); count++) {
    lowest = Math.min(lowest, await transactionRate());
  }
  return lowest;
}

/** Transactions a second, over a while. The server gathers them with up to a second's delay. */
async function transactionRate(): Promise<number> {
  const client = new pg.Client(cluster.postgresUrl);
  await client.connect();
  const count = async () => {
    const { rows } = await client.query(
      'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0].n);
  };
  const [before, from] = [await count(), performance.now()];
  await pause(COUNTED_MS);
  const rate = (((await count()) - before) / (performance.now() - from)) * 1000;
  await client.end();
  return rate;
}

test(`a third gateway has its share of ${WATCHES} watches after one stream's age, for one poll more`, async () => {
  const third = cluster.gateways[2];
  await third?.stop();
  const { collections } = await populate(api, 4, 5);
  reflectors = await openReflectors(api, collections, WATCHES);
  const [before, rateBefore] = [await watchersOfEach(), await lowestRate(Number.POSITIVE_INFINITY)];
  expect(isEven(before), `${before}`).toBe(true);

  await third?.start();
  const joined = performance.now();
  await waitUntil('the gateways have even shares', 2 * AGE_S * 1000, async () => isEven(await watchersOfEach()));
  const took = (performance.now() - joined) / 1000;
  await pause(Math.max(0, AGE_S - took) * 1000); // the end of the age, when the last of the old streams has gone
  // A stream that has just ended is opened again.
  await waitUntil('the gateways keep even shares', AGE_S * 1000, async () => isEven(await watchersOfEach()));
  const after = await watchersOfEach();
  const rateAfter = await lowestRate(rateBefore + ONE_POLL);
  console.log(
    `watches ${before} → ${after} (even after ${took.toFixed(1)} s); transactions/s ${rateBefore} → ${rateAfter}`,
  );
  expect(total(reflectors)).toMatchObject({ lists: 0, gone: 0, cut: 0 });
  expect(reflectors.flatMap(({ violations }) => violations)).toEqual([]);
  if (rateAfter - rateBefore < ONE_POLL) return;
  // A machine that has become busier meanwhile lets the others read more often too: without the third once more, as it is now.
  await third?.stop();
  const rateAgain = await lowestRate(Number.POSITIVE_INFINITY);
  console.log(`transactions/s without the third once more: ${rateAgain}`);
  expect(rateAfter - Math.max(rateBefore, rateAgain)).toBeLessThan(ONE_POLL);
}, 300_000);
