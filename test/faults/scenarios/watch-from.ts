import pg from 'pg';
import type { WatchEvent } from '../../support/watch-stream.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';

export const watchFrom = staged(
  {
    name: 'watch-from',
    fault: 'watches from unset, 0, an old version, the current one, +1, +1000, a compacted one, and garbage',
    pass: 'what the specification says of each; from a version above the head nothing old, though it comes later, and everything newer, while others write; 410 with the reason Expired for a compacted one and for one that nobody has drawn; 400 for garbage',
  },
  { serverArgs: ['--history-retention=1s'] },
  async (stage) => {
    const first = await write(stage, 'a');
    const second = await write(stage, 'b');
    const current = await write(stage, 'c');
    for (const url of [...stage.cluster.gatewayUrls, ...stage.cluster.apiServerUrls]) {
      const watch = (from: string, expected: readonly string[]) => firstEvents(stage, url, from, expected.length);
      const names = ['ADDED a', 'ADDED b', 'ADDED c'];
      expectEvents(stage, 'unset', await watch('', names), names);
      expectEvents(stage, '0', await watch('&resourceVersion=0', names), names);
      expectEvents(stage, 'current', await watch(`&resourceVersion=${current}`, []), []);
      await expectOldOrExpired(stage, url, first, names.slice(1), BigInt(second));
      for (const garbage of ['abc', '-1', '1.5', '1e3', '%00', '9'.repeat(40)]) {
        const answer = await stage.api(url).get(`${PATH}?watch=1&resourceVersion=${garbage}`);
        stage.must('R.answer', answer.status === 400, `a watch from ${garbage} was answered with ${answer.status}`);
      }
    }
    for (const url of [...stage.cluster.gatewayUrls, ...stage.cluster.apiServerUrls]) {
      for (const ahead of [1n, 1_000n, 10n ** 12n]) await expectNewerOnly(stage, url, ahead);
      for (const ahead of [1n, 1_000n]) await expectNewerOnly(stage, url, ahead, 'drawn');
      await expectNoLateComer(stage, url);
    }
    await expectExpired(stage, first);
  },
);

async function write(stage: Stage, name: string, path = PATH): Promise<string> {
  const answer = await stage.api().post(path, { metadata: { name } });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json().metadata.resourceVersion;
}

/** Lifetimes of watches, seconds: a short one shows that nothing more comes, a longer one that nothing comes late. */
const SHORT_S = 1;
const LONG_S = 10;

/**
 * Returns the events of a short watch as `TYPE name`, or the code of its refusal. Retried once, longer, if fewer come.
 */
async function firstEvents(stage: Stage, url: string, from: string, expected = 0): Promise<string[]> {
  let found: string[] = [];
  for (const seconds of [SHORT_S, LONG_S]) {
    const stream = await stage.api(url).watch(`${PATH}?watch=1&timeoutSeconds=${seconds}${from}`);
    if (stream.status !== 200) return [String(stream.status)];
    found = (await stream.rest()).map(shown).filter((event) => !event.endsWith('kube-root-ca.crt'));
    if (found.length >= expected) break;
  }
  return found;
}

const shown = ({ type, object }: WatchEvent): string =>
  type === 'ERROR' ? `ERROR ${object.code} ${object.reason}` : `${type} ${object.metadata.name}`;

function expectEvents(stage: Stage, from: string, found: readonly string[], expected: readonly string[]): void {
  const same = found.join() === expected.join();
  stage.must('V2.initial', same, `a watch from ${from} brought ${found.join() || 'nothing'}, not ${expected.join()}`);
}

let serial = 0;

/**
 * A watch from above the head, while others write: refused if nobody has drawn the version, else all that is newer.
 * @param drawn the versions on the way are gone, as by transactions that were rolled back
 */
async function expectNewerOnly(stage: Stage, url: string, ahead: bigint, drawn?: 'drawn'): Promise<void> {
  const from = BigInt(await write(stage, `newest-${serial++}`)) + ahead;
  if (drawn)
    await sql(stage.postgresUrl, `SELECT count(nextval('resource_version')) FROM generate_series(1, ${ahead})`);
  const before = await lastVersion(stage);
  const stream = await stage.api(url).watch(`${PATH}?watch=1&timeoutSeconds=${LONG_S}&resourceVersion=${from}`);
  const after = await lastVersion(stage);
  if (stream.status !== 200) {
    const right = stream.status === 410 && from > before;
    stage.must('R.answer', right, `a watch from ${from} was answered with ${stream.status} at ${before}`);
    return;
  }
  stage.must('R.answer', from <= after, `a watch from ${from}, which nobody has drawn (${after}), was not refused`);
  const newer: string[] = [];
  for (let i = 0; i < 3; i++) {
    const name = `newer-${serial++}`;
    if (BigInt(await write(stage, name)) > from) newer.push(`ADDED ${name}`);
  }
  // In order: whatever is old would come first.
  const found = (await stream.take(newer.length)).map(shown);
  stream.close();
  stage.must('R.answer', !drawn || newer.length === 3, `of three writes ${newer.length} are newer than ${from}`);
  expectEvents(stage, `${from}, above the head`, found, newer);
}

/** A watch from the version of another type's change: what has drawn a lower one, and commits later, is older. */
async function expectNoLateComer(stage: Stage, url: string): Promise<void> {
  const slow = await SlowWriter.begin(stage.postgresUrl, `late-${serial++}`);
  const from = await write(stage, `other-${serial++}`, PATH.replace('configmaps', 'secrets'));
  stage.must('R.answer', BigInt(from) > slow.version, `${from} was drawn after ${slow.version}`);
  const stream = await stage.api(url).watch(`${PATH}?watch=1&timeoutSeconds=${LONG_S}&resourceVersion=${from}`);
  await slow.commit();
  const newer = `newer-${serial++}`;
  await write(stage, newer);
  const found = stream.status === 200 ? (await stream.take(1)).map(shown) : [String(stream.status)];
  stream.close();
  expectEvents(stage, `${from}, with ${slow.version} still to come`, found, [`ADDED ${newer}`]);
}

/** A config map that is written but not committed. */
class SlowWriter {
  private constructor(
    private readonly session: pg.Client,
    readonly version: bigint,
  ) {}

  static async begin(url: string, name: string): Promise<SlowWriter> {
    const session = new pg.Client({ connectionString: url, options: '-c search_path=cluster' });
    await session.connect();
    const metadata = { name, namespace: 'default', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' };
    // As objects are stored: what they are of stands beside them.
    const body = JSON.stringify({ metadata });
    await session.query('BEGIN');
    const { rows } = await session.query<{ o_version: string }>(
      `SELECT o_version FROM commit_writes(NULL,
         ARRAY(SELECT id FROM resource_type WHERE api_group = '' AND resource = 'configmaps'), '{}', 0,
         '{1}', '{1}', '{default}', ARRAY[$1], ARRAY[$1], '{0}', '{v1}', '{}', ARRAY[convert_to($2, 'UTF8')], '{}', '{1}')`,
      [name, body],
    );
    return new SlowWriter(session, BigInt(rows[0]?.o_version ?? 0));
  }

  async commit(): Promise<void> {
    await this.session.query('COMMIT');
    await this.session.end();
  }
}

async function lastVersion({ postgresUrl }: Stage): Promise<bigint> {
  const [row] = await sql<{ last: string }>(postgresUrl, 'SELECT last_value AS last FROM resource_version');
  return BigInt(row?.last ?? 0);
}

/** History is short here: an old version is served whole, or refused once the floor has passed it. */
async function expectOldOrExpired(
  stage: Stage,
  url: string,
  from: string,
  whole: string[],
  least: bigint,
): Promise<void> {
  const found = await firstEvents(stage, url, `&resourceVersion=${from}`, whole.length);
  const gone = found[0] === '410' && (await floorOf(stage)) >= least - 1n;
  if (!gone) expectEvents(stage, `the old version ${from}`, found, whole);
}

async function expectExpired(stage: Stage, from: string): Promise<void> {
  await stage.recovers('history is dropped', 30_000, async () => {
    // Only what is written moves history on.
    await write(stage, `filler-${serial++}`);
    await rest(100, stage.signal);
    return (await floorOf(stage)) > BigInt(from);
  });
  for (const url of [...stage.cluster.gatewayUrls, ...stage.cluster.apiServerUrls]) {
    await stage.recovers('the rings have let go of it', 15_000, async () => {
      await write(stage, `filler-${serial++}`);
      return (await firstEvents(stage, url, `&resourceVersion=${from}`))[0] === '410';
    });
    const answer = await stage.api(url).get(`${PATH}?watch=1&resourceVersion=${from}`);
    const { reason } = answer.json<{ reason?: string } & Record<string, never>>();
    stage.must(
      'R.answer',
      answer.status === 410 && reason === 'Expired',
      `${answer.status} ${reason} for a compacted version`,
    );
  }
}

async function floorOf({ postgresUrl }: Stage): Promise<bigint> {
  const [row] = await sql<{ floor: string }>(
    postgresUrl,
    `SELECT f.floor FROM history_floor f JOIN resource_type t ON t.id = f.type WHERE t.api_group = '' AND t.resource = 'configmaps'`,
  );
  return BigInt(row?.floor ?? 0);
}
