import { Crowd, type Member } from '../stage/crowd.js';
import { redefine } from '../stage/redefine.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, staged, tortured } from './scenario.js';

export const rollbacks = tortured(
  {
    name: 'rollbacks',
    fault:
      'three in ten transactions of the writers are rolled back at their very end, half of them as serialization failures',
    pass: 'V1–V7: no order is violated, nothing that was rolled back is seen, refusals are true',
  },
  (settings) => ({
    seconds: scaled(settings, 600, 12),
    writers: scaled(settings, 24, 8),
    sabotage: (url) => redefine(url, 'commit_charged', rollBackAtTheEnd),
  }),
);

/** 40001 may be tried again by the server itself, 53000 (insufficient resources) is handed to the client. */
function rollBackAtTheEnd(definition: string): string {
  const end = definition.lastIndexOf('END');
  const roll = `IF random() < 0.3 THEN
    RAISE EXCEPTION 'rolled back on purpose' USING ERRCODE = CASE WHEN random() < 0.5 THEN '40001' ELSE '53000' END;
  END IF;\n`;
  return definition.slice(0, end) + roll + definition.slice(end);
}

const PATH = '/api/v1/namespaces/default/configmaps';
const WRITERS = 64;
const POLL_MS = 100;
const PAGE = 20_000;
const CATCH_UP_MS = 60_000;
/** No run takes longer, whatever happens; a million takes about a quarter of it. */
const LONGEST_MS = 3_600_000;

export const millionWrites = staged(
  {
    name: 'million-writes',
    fault: 'a million writes as fast as they go, by 64 writers at two api-servers, with the same rollbacks',
    pass: 'the order has no gap, no branch, nothing that becomes visible behind what was read; every acknowledged write is in it; a watch at each gateway has it whole and in order',
  },
  { serverArgs: ['--history-retention=2h'] },
  async (stage, settings) => {
    const wanted = scaled(settings, 1_000_000, 10_000);
    for (let i = 0; i < WRITERS; i++) await stage.api().post(PATH, { metadata: { name: `own-${i}` } });
    await redefine(stage.postgresUrl, 'commit_charged', rollBackAtTheEnd);
    const from = Number((await stage.api().get(PATH)).json().metadata.resourceVersion);
    const crowds = stage.cluster.gatewayUrls.map((url) => new Crowd(stage, url));
    const watch = `${PATH}?watch=1&timeoutSeconds=7200&resourceVersion=${from}`;
    const watchers = await Promise.all(crowds.map((crowd) => crowd.join(watch)));
    const over = new AbortController();
    const reading = readOrder(stage, from, over.signal);
    const acknowledged = await writeMany(stage, wanted);
    over.abort();
    const order = await reading;
    await judge(stage, { from, acknowledged, order, watchers });
    for (const watcher of watchers) watcher.close();
    for (const crowd of crowds) crowd.close();
  },
);

/** Closed loops, each over an object of its own; the versions of what was acknowledged. */
async function writeMany(stage: Stage, wanted: number): Promise<number[]> {
  const acknowledged: number[] = [];
  const deadline = performance.now() + LONGEST_MS;
  let refused = 0;
  const write = async (writer: number) => {
    const api = stage.api(stage.cluster.apiServerUrls[writer % 2]);
    for (let i = 0; acknowledged.length < wanted && performance.now() < deadline; i++) {
      const answer = await api.patch(`${PATH}/own-${writer}`, 'merge', { data: { number: `${i}` } });
      if (answer.status === 200) acknowledged.push(Number(answer.json().metadata.resourceVersion));
      else if (answer.status === 503) refused++;
      else stage.report('R.answer', `a write was answered with ${answer.status} ${answer.text}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  stage.measure('writes acknowledged', acknowledged.length);
  stage.measure('writes refused', refused);
  stage.must('R.recovery', acknowledged.length >= wanted, `only ${acknowledged.length} writes in an hour`);
  return acknowledged;
}

/** The versions as one sees them who reads on from where they were, again and again; each must follow on the one before. */
async function readOrder(stage: Stage, from: number, over: AbortSignal): Promise<number[]> {
  const order: number[] = [];
  let last = from;
  for (let more = true; more; ) {
    const rows = await sql<{ version: string; previous: string }>(
      stage.postgresUrl,
      `SELECT version, previous FROM change WHERE type = ${TYPE} AND version > $1 ORDER BY version LIMIT ${PAGE}`,
      [last],
    );
    for (const { version, previous } of rows) {
      stage.must('V2.history', Number(previous) === last, `${version} follows ${previous}, after ${last} was read`);
      last = Number(version);
      order.push(last);
    }
    more = rows.length > 0 || !over.aborted;
    await rest(POLL_MS, over);
  }
  return order;
}

const TYPE = `(SELECT id FROM resource_type WHERE api_group = '' AND resource = 'configmaps')`;

interface Seen {
  readonly from: number;
  readonly acknowledged: readonly number[];
  /** Order of the entries as it was read while they were written. */
  readonly order: readonly number[];
  readonly watchers: readonly Member[];
}

async function judge(stage: Stage, { from, acknowledged, order, watchers }: Seen): Promise<void> {
  const [row] = await sql<{ changes: string }>(
    stage.postgresUrl,
    `SELECT count(*) AS changes FROM change WHERE type = ${TYPE} AND version > $1`,
    [from],
  );
  const late = Number(row?.changes) - order.length;
  stage.must('V2.late-commit', late === 0, `${late} changes became visible behind what had been read`);
  const known = new Set(order);
  const lost = acknowledged.filter((version) => !known.has(version));
  stage.must('V3.lost', lost.length === 0, `${lost.length} acknowledged writes are not in the order: ${lost[0]}, …`);
  const last = String(order.at(-1));
  await stage.recovers('the watches have everything', CATCH_UP_MS, () =>
    watchers.every(({ versions }) => versions.at(-1) === last),
  );
  for (const [number, { versions }] of watchers.entries()) {
    const wrong = order.findIndex((version, i) => Number(versions[i]) !== version);
    stage.must('V2.order', wrong === -1, `watch ${number} has ${versions[wrong]} where ${order[wrong]} belongs`);
    stage.must(
      'V2.phantom',
      versions.length <= order.length,
      `watch ${number} has ${versions.length - order.length} more`,
    );
  }
}
