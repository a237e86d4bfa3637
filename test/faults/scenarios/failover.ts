import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api, ApiList } from '../../support/api.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import { run } from '../run.js';
import { expectWrites } from '../stage/database-down.js';
import type { Mutation } from '../stage/mutant.js';
import { PostgresPair } from '../stage/postgres-pair.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

/** A pair in a directory of its own for as long as `use` runs. */
async function withPair<T>(synchronous: boolean, use: (pair: PostgresPair) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'torture-pair-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  const pair = await PostgresPair.start(dir, synchronous);
  try {
    return await use(pair);
  } finally {
    await pair.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

export const failoverSynchronous: Scenario = {
  name: 'failover-synchronous',
  fault: 'the primary PostgreSQL dies for good, a synchronous standby is promoted',
  pass: 'V1–V4, V6, V7 over both (nothing acknowledged is lost, no watch is refused); writes resume within 10 s',
  run: (settings: ScenarioSettings) =>
    withPair(true, async (pair) => {
      // The recorder knows one address only.
      const front = await FaultProxy.open(pair.primaryPort);
      try {
        return await run({
          seed: settings.seed,
          log: settings.log,
          seconds: 0,
          watchers: scaled(settings, 200, 32),
          writers: 4,
          serverArgs: [`--postgres-url=${pair.url}`],
          postgresUrl: `postgres://postgres@127.0.0.1:${front.port}/postgres`,
          faults: async (stage) => {
            await rest(scaled(settings, 30_000, 4_000), stage.signal);
            await pair.failOver();
            front.retarget(pair.standbyPort);
            front.reset();
            await expectWrites(stage);
            await rest(scaled(settings, 30_000, 4_000), stage.signal);
          },
        });
      } finally {
        await front.close();
      }
    }),
};

const PATH = '/api/v1/namespaces/default/configmaps';
const LOST = 25;
/** Time after which an event counts as lost. */
const NEVER_MS = 30_000;

/** Writes acknowledged to clients that the standby never received. */
interface Announced {
  readonly common: string;
  readonly versions: readonly string[];
  readonly names: readonly string[];
}

export const failoverAsynchronous = asynchronous({
  name: 'failover-asynchronous',
  fault: 'the primary dies with acknowledged writes that the standby has not received, and the standby is promoted',
  pass: 'the rewound history is noticed: watches end with 410, old versions are refused, no version is used again for other content; writes resume within 10 s',
});

/** The negative control. */
export const failoverUnnoticed = controlled(
  asynchronous(
    {
      name: 'failover-unnoticed',
      fault: 'the same with servers that take the database for the one they knew: the negative control',
      pass: 'V2.resumable says so',
    },
    {
      module: 'libs/storage/dist/maintenance/lineage.js',
      part: `behind ? 'rewound' : apart ? 'apart' : unbroken`,
      by: 'unbroken',
    },
  ),
  'V2.resumable',
);

function asynchronous(about: Omit<Scenario, 'run'>, ...mutations: readonly Mutation[]): Scenario {
  return {
    ...about,
    run: (settings) =>
      withPair(false, (pair) =>
        staged(about, { serverArgs: [`--postgres-url=${pair.url}`], mutations }, async (stage, own) =>
          rewind(stage, own, pair),
        ).run(settings),
      ),
  };
}

async function rewind(stage: Stage, { expected }: ScenarioSettings, pair: PostgresPair): Promise<void> {
  const common = await create(stage, 'common');
  const stream = await stage.api().watch(`${PATH}?watch=1&resourceVersion=${common}`);
  await stage.recovers('the standby has what is common', 30_000, async () => {
    const rows = await sql(pair.standbyUrl, 'SELECT FROM object WHERE name = $1', ['common']);
    return rows.length === 1;
  });
  pair.cutReplication();
  const names = Array.from({ length: LOST }, (_, i) => `lost-${i}`);
  const versions: string[] = [];
  for (const name of names) versions.push(await create(stage, name));
  await stream.take(LOST);
  await pair.failOver();
  await expectWrites(stage);
  const ended = await Promise.race([stream.rest(), rest(NEVER_MS, stage.signal)]);
  const last = Array.isArray(ended) ? ended.at(-1) : undefined;
  const gone = last?.type === 'ERROR' && last.object.code === 410;
  stage.must('V2.resumable', gone, `the watch ended with ${JSON.stringify(last)?.slice(0, 200)}, not with 410`);
  // Of a negative control one violation is enough.
  if (!stage.violations.some(({ rule }) => rule === expected)) await expectRewound(stage, { common, versions, names });
}

async function create(stage: Stage, name: string): Promise<string> {
  const answer = await stage.api().post(PATH, { metadata: { name } });
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json().metadata.resourceVersion;
}

/** A server that has not heard of the failover yet accepts the watch, and ends it before anything of the new history. */
async function expectExpired(stage: Stage, api: Api, version: string): Promise<void> {
  const stream = await api.watch(`${PATH}?watch=1&timeoutSeconds=10&resourceVersion=${version}`);
  if (stream.status === 410) return stream.close();
  const events = await stream.rest();
  const expired = events.length === 1 && events[0]?.type === 'ERROR' && events[0].object.code === 410;
  const seen = JSON.stringify(events).slice(0, 200);
  stage.must('V2.resumable', expired, `a watch from ${version} of before brought ${stream.status} ${seen}`);
}

async function expectRewound(stage: Stage, { common, versions, names }: Announced): Promise<void> {
  const highest = versions.map(BigInt).reduce((a, b) => (a > b ? a : b));
  const again = BigInt(await create(stage, names[0] ?? ''));
  stage.must('V2.history', again > highest, `version ${again} is drawn after ${highest} was announced`);
  for (const url of [...stage.cluster.gatewayUrls, ...stage.cluster.apiServerUrls]) {
    const api = stage.api(url);
    for (const version of [common, ...versions.slice(-1)]) await expectExpired(stage, api, version);
    const list = await api.get(PATH);
    stage.must('R.answer', list.status === 200, `a list was answered with ${list.status} ${list.text}`);
    if (list.status !== 200) continue;
    const { items, metadata } = list.json<ApiList>();
    const listed = items.map((item) => item.metadata.name).filter((name) => name.startsWith('lost-'));
    stage.must('V4.list', listed.join() === names[0], `a list of ${metadata.resourceVersion} holds ${listed.join()}`);
    const stream = await api.watch(`${PATH}?watch=1&timeoutSeconds=30&resourceVersion=${metadata.resourceVersion}`);
    const changed = await stage.api().patch(`${PATH}/common`, 'merge', { data: { at: url } });
    stage.must('R.answer', changed.status === 200, `a write was answered with ${changed.status}`);
    const event = await stream.next();
    stage.must('V2.missing', event?.object.data?.at === url, 'a watch of the new history brings nothing');
    stream.close();
  }
}
