import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { ApiList } from '../../support/api.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { controlled } from './controlled.js';
import { staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
/** Writes that are lost with each restoration. */
const LOST = 6;

/** How old each backup is, seconds; the first is a volume snapshot of a moment ago. */
const AGES = { 'a minute': 60, 'an hour': 3_600, 'a day': 86_400, '60 days': 60 * 86_400 };
/** Versions that a busy installation uses in a second, including those skipped by closing a partition every minute. */
const VERSIONS_A_SECOND = 170_000;

/** In place of the function that lets history go on above what was lost. */
const UNNOTICED = `
CREATE OR REPLACE FUNCTION resume_history(
  p_system text, p_timeline text, p_width bigint, p_pace bigint, p_silence double precision) RETURNS void
LANGUAGE sql AS 'UPDATE heartbeat SET at = clock_timestamp()'`;

/** State that clients received after the backup was taken. */
interface Held {
  /** Before the backup, so that it is valid. */
  readonly common: string;
  readonly lost: readonly string[];
  readonly tokens: readonly string[];
}

const about = {
  name: 'restored-backup',
  fault:
    'copies of the data, as old as a minute, an hour, a day and 60 days, are put back with all processes down; system identifier and timeline are the same',
  pass: 'every version from after the backup is 410 to watches, exact reads, reads not older than it and continue tokens, also after the sequence has passed it; versions of before go on; nothing that was lost is seen',
};

export const restoredBackup = staged(about, {}, async (stage) => {
  for (const [what, seconds] of Object.entries(AGES)) {
    stage.log(`a backup of ${what} ago`);
    await expectNothingMixed(stage, await restore(stage, what.replaceAll(' ', '-'), seconds));
  }
});

/** The negative control. */
export const restoredBackupUnnoticed = controlled(
  staged(
    {
      name: 'restored-backup-unnoticed',
      fault: 'the same with a database that lets nothing be resumed: the negative control',
      pass: 'V2.resumable says so',
    },
    {},
    async (stage) => {
      const { common, lost } = await restore(stage, 'unnoticed', 0);
      // One is enough: versions that nobody has drawn yet are waited for by lists.
      await expectNothingMixed(stage, { common, lost: lost.slice(0, 1), tokens: [] });
    },
  ),
  'V2.resumable',
);

/** Makes a backup, goes on, and puts it back; resolves when all serve again. @param seconds how old it then is; 0 for one that nobody is to notice */
async function restore(stage: Stage, name: string, seconds: number): Promise<Held> {
  const { cluster } = stage;
  const data = join(dirname(cluster.kubeconfig), 'postgres');
  const common = await create(stage, `common-${name}`);
  await allDown(stage);
  execFileSync('cp', ['-a', data, `${data}-${name}`]);
  await allUp(stage);
  const held = { common, ...(await goOn(stage, name, seconds)) };
  await allDown(stage);
  execFileSync('rm', ['-rf', data]);
  execFileSync('mv', [`${data}-${name}`, data]);
  await cluster.postgres.start();
  if (seconds === 0) await sql(stage.postgresUrl, UNNOTICED);
  const age = 'UPDATE heartbeat SET at = at - $1::interval, origin = origin - $1::interval';
  await sql(stage.postgresUrl, age, [`${seconds} seconds`]);
  await allUp(stage);
  return held;
}

/** Writes what the restore will lose: as much as possible until the backup is restored. */
async function goOn(stage: Stage, name: string, seconds: number): Promise<Omit<Held, 'common'>> {
  const lost: string[] = [];
  const tokens: string[] = [];
  for (let i = 0; i < LOST; i++) {
    if (i === LOST / 2) {
      const leap = `SELECT setval('resource_version', last_value + $1) FROM resource_version`;
      await sql(stage.postgresUrl, leap, [seconds * VERSIONS_A_SECOND]);
    }
    lost.push(await create(stage, `lost-${name}-${i}`));
    const { metadata } = (await stage.api().get(`${PATH}?limit=1`)).json<ApiList>();
    tokens.push(metadata.continue ?? '');
  }
  return { lost, tokens };
}

async function expectNothingMixed(stage: Stage, held: Held): Promise<void> {
  await expectLost(stage, held);
  // The same names again, so that one history could be taken for the other.
  const highest = held.lost.map(BigInt).reduce((a, b) => (a > b ? a : b));
  const again = await create(stage, `again-${highest}`);
  stage.must('V2.history', BigInt(again) > highest, `version ${again} is drawn after ${highest} was announced`);
  await expectLost(stage, held);
  for (const url of [...stage.cluster.gatewayUrls, ...stage.cluster.apiServerUrls]) {
    const api = stage.api(url);
    const { items } = (await api.get(PATH)).json<ApiList>();
    const mixed = items.filter(({ metadata }) => metadata.name.startsWith('lost-'));
    stage.must('V4.list', mixed.length === 0, `a list holds ${mixed.map(({ metadata }) => metadata.name).join()}`);
    const stream = await api.watch(`${PATH}?watch=1&timeoutSeconds=30&resourceVersion=${held.common}`);
    const event = stream.status === 200 ? await stream.next() : undefined;
    stream.close();
    const brought = event?.object.metadata.resourceVersion ?? stream.status;
    stage.must('V2.missing', brought === again, `a watch from ${held.common}, of before, brought ${brought}`);
  }
}

async function expectLost(stage: Stage, { lost, tokens }: Held): Promise<void> {
  for (const url of [...stage.cluster.gatewayUrls, ...stage.cluster.apiServerUrls]) {
    for (const version of lost) {
      const watched = await watchFrom(stage, url, version);
      stage.must(
        'V2.resumable',
        watched === 410,
        `a watch from ${version}, which was lost, was answered with ${watched}`,
      );
      for (const match of ['Exact', 'NotOlderThan'])
        await expectGone(stage, url, `resourceVersion=${version}&resourceVersionMatch=${match}`);
    }
    for (const token of tokens) await expectGone(stage, url, `limit=1&continue=${token}`);
  }
}

async function watchFrom(stage: Stage, url: string, version: string): Promise<number> {
  const stream = await stage.api(url).watch(`${PATH}?watch=1&timeoutSeconds=1&resourceVersion=${version}`);
  stream.close();
  return stream.status;
}

async function expectGone(stage: Stage, url: string, query: string): Promise<void> {
  const { status } = await stage.api(url).get(`${PATH}?${query}`);
  stage.must('V2.resumable', status === 410, `a list of ${query}, which was lost, was answered with ${status}`);
}

async function create(stage: Stage, name: string): Promise<string> {
  const answer = await stage.api().post(PATH, { metadata: { name } });
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json().metadata.resourceVersion;
}

async function allDown({ cluster }: Stage): Promise<void> {
  await Promise.all([...cluster.apiServers, ...cluster.gateways].map((server) => server.kill('SIGKILL')));
  await cluster.postgres.stop();
}

/** PostgreSQL may run already. */
async function allUp({ cluster }: Stage): Promise<void> {
  if (!cluster.postgres.running) await cluster.postgres.start();
  for (const server of [...cluster.apiServers, ...cluster.gateways]) await server.start();
}
