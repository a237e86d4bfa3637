import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { openStage, type Stage } from './stage.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const [MINUTE_MS, MINUTE] = [60_000, 60];
const REQUEST_MS = 200;
/** Time for which the table is locked in each cycle: requests in its first three seconds wait for over a second. */
const [HELD_MS, FREE_MS] = [4000, 1000];
/** Length of the requests' history from before the start, which the longest rule's window holds. */
const PAST_SECONDS = 375 * MINUTE;

let stage: Stage;
let api: Api;
const over = new AbortController();
let asking: Promise<void>;

/** Returns a history with as many requests as are made below, none slow, as a Prometheus would have collected it. */
function calmPast(): string {
  const SLI = 'apiserver_request_sli_duration_seconds';
  const until = Math.floor(Date.now() / 1000);
  const labels = 'instance="before",job="apiserver",scope="resource"';
  const line = (name: string, labels: string, at: number) =>
    `${SLI}_${name}{${labels}} ${((at + PAST_SECONDS) * 1000) / REQUEST_MS} ${until + at}`;
  const times = Array.from({ length: PAST_SECONDS / 15 }, (_, at) => at * 15 - PAST_SECONDS);
  return [
    `# TYPE ${SLI} histogram`,
    ...['0.1', '1', '+Inf'].flatMap((le) => times.map((at) => line('bucket', `${labels},le="${le}"`, at))),
    ...times.map((at) => line('count', labels, at)),
    '# EOF\n',
  ].join('\n');
}

/** Asks at its pace, however long answers take. */
async function ask(): Promise<void> {
  for (let round = 0; !over.signal.aborted; round++) {
    const asked = round % 2 === 0 ? api.get(`${CONFIG_MAPS}/asked`) : write(round);
    void asked.catch(() => undefined);
    await pause(REQUEST_MS);
  }
}

const write = (round: number) => api.patch(`${CONFIG_MAPS}/asked`, 'merge', { data: { round: `${round}` } });

/** Holds the table of objects again and again, until it is told to end. */
async function hold(signal: AbortSignal): Promise<void> {
  const holder = new pg.Client({ connectionString: stage.cluster.postgresUrl, options: '-c search_path=cluster' });
  await holder.connect();
  while (!signal.aborted) {
    await holder.query('BEGIN; LOCK TABLE object IN ACCESS EXCLUSIVE MODE');
    await pause(HELD_MS);
    await holder.query('COMMIT');
    await pause(FREE_MS);
  }
  await holder.end();
}

beforeAll(async () => {
  const longest = { fires: 60 * MINUTE, ends: 40 * MINUTE };
  stage = await openStage({ apiServers: 1, gateways: 1 }, { longest, past: calmPast() });
  api = new Api({ ...stage.cluster, url: stage.cluster.apiServerUrls[0] ?? '' });
  await api.post(CONFIG_MAPS, { metadata: { name: 'asked' } });
  asking = ask();
});

afterAll(async () => {
  over.abort();
  await asking;
  api?.close();
  await stage?.close();
});

test('requests wait for a table that is held, for longer than the budget has', {
  timeout: 120 * MINUTE_MS,
}, async () => {
  // So that the first minutes of all are those of these servers, too.
  await pause(3 * MINUTE_MS);
  await stage.silent();
  const mended = new AbortController();
  let holding: Promise<void> = Promise.resolve();
  await stage.breaks(['OrchLatencyBudgetBurn, critical', 'OrchLatencyBudgetBurn, warning'], () => {
    holding = hold(mended.signal);
  });
  await stage.firing();
  await stage.mends(() => {
    mended.abort();
    return holding;
  });
  await stage.silent();
  const seen = { fires: expect.any(Number), ends: expect.any(Number) };
  const times = await stage.times();
  expect(times.get('OrchLatencyBudgetBurn, critical')).toEqual(seen);
  expect(times.get('OrchLatencyBudgetBurn, warning')).toEqual(seen);
});
