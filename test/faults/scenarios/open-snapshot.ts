import pg from 'pg';
import type { ApiList } from '../../support/api.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { type ScenarioSettings, scaled, tortured } from './scenario.js';

/** A kind that the writers of the torture leave alone. */
const PATH = '/api/v1/namespaces/default/secrets';
const OBJECTS = 200;
const WRITERS = 32;
/** Minimum share of the rate without a snapshot. */
const SHARE = 0.8;
/** Blocks that a write may look at, for each one without. */
const BLOCKS = 4;
/** Reads of what was so many ms before, and the longest that one may take, ms. */
const HISTORY_READS = 5;
const HISTORY_MS = 1_000;
const LONG_READ_MS = 10_000;
/** Until history is dropped again, once the session has ended. */
const DROPPED_MS = 60_000;

export const openSnapshot = tortured(
  {
    name: 'open-snapshot',
    fault:
      'a session holds a snapshot and, as pg_dump does, a lock on every table for an hour, beside writers that go as fast as they can, while history is to be dropped',
    pass: 'V1–V7; no write fails, and they lose less than a fifth of their rate and look at less than four times as much; what was is read as before; history is dropped again when the session has ended',
  },
  (settings) => ({
    retention: '10s',
    faults: (stage) => dump(stage, settings),
  }),
);

async function dump(stage: Stage, settings: ScenarioSettings): Promise<void> {
  const load = await Load.start(stage);
  const window = scaled(settings, 30_000, 4_000);
  await load.during(window);
  const before = await load.during(window);
  const release = await holdEverything(stage.postgresUrl);
  await rest(scaled(settings, 3_600_000, 15_000), stage.signal);
  const beside = await load.during(window);
  for (let i = 0; i < HISTORY_READS; i++) await expectHistory(stage);
  const floor = await lowestFloor(stage);
  await release();
  await stage.recovers('history is dropped again', DROPPED_MS, async () => (await lowestFloor(stage)) > floor);
  const after = await load.during(window);
  await load.stop();
  for (const [when, { rate, blocks }] of Object.entries({ before, beside, after })) {
    stage.measure(`writes a second ${when} a snapshot`, rate);
    stage.measure(`blocks a write ${when} a snapshot`, blocks);
  }
  // What others on the machine took is taken from all three.
  const usual = Math.min(before.rate, after.rate);
  const slow = `${beside.rate.toFixed()} writes a second beside a snapshot, ${usual.toFixed()} without`;
  stage.must('R.latency', beside.rate >= SHARE * usual, slow);
  // Whoever is slow afterwards, too, would be found fast enough beside it. Nobody else changes this.
  const dear = `${beside.blocks.toFixed(1)} blocks a write beside a snapshot, ${before.blocks.toFixed(1)} before`;
  stage.must('R.latency', beside.blocks <= BLOCKS * before.blocks, dear);
  stage.must('R.answer', load.failures.length === 0, `${load.failures.length} writes failed: ${load.failures[0]}`);
}

/** Opens a snapshot and locks every table as pg_dump does; resolves with what ends it. */
async function holdEverything(url: string): Promise<() => Promise<void>> {
  const session = new pg.Client({ connectionString: url, options: '-c search_path=cluster' });
  await session.connect();
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { rows } = await session.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'cluster'::regnamespace`,
  );
  await session.query(`LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN ACCESS SHARE MODE`);
  return () => session.end();
}

/** Whoever waits to drop history keeps nobody from reading it. */
async function expectHistory(stage: Stage): Promise<void> {
  const newest = await stage.api().get(`${PATH}?limit=1`);
  stage.must('R.answer', newest.status === 200, `a list was answered with ${newest.status}`);
  if (newest.status !== 200) return;
  const { metadata } = newest.json<ApiList>();
  await rest(HISTORY_MS, stage.signal);
  const start = performance.now();
  const { status } = await stage
    .api()
    .get(`${PATH}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`);
  const took = performance.now() - start;
  stage.measure('ms of a read of history beside a snapshot', took);
  stage.must('R.answer', status === 200, `a read of history was answered with ${status}`);
  stage.must('R.latency', took <= LONG_READ_MS, `a read of history took ${took.toFixed()} ms`);
}

async function lowestFloor({ postgresUrl }: Stage): Promise<bigint> {
  const [row] = await sql<{ floor: string }>(
    postgresUrl,
    `SELECT f.floor FROM history_floor f JOIN resource_type t ON t.id = f.type WHERE t.resource = 'secrets'`,
  );
  return BigInt(row?.floor ?? 0);
}

interface Pace {
  /** Writes a second. */
  readonly rate: number;
  /** Blocks that the database looked at for each, those of everybody else among them. */
  readonly blocks: number;
}

/** Writers that change a few objects again and again, each as soon as it is answered. */
class Load {
  readonly failures: string[] = [];
  readonly #ended = new AbortController();
  readonly #running: Promise<unknown>;
  #done = 0;

  private constructor(private readonly stage: Stage) {
    this.#running = Promise.all(Array.from({ length: WRITERS }, (_, i) => this.#write(i)));
    stage.signal.addEventListener('abort', () => this.#ended.abort());
  }

  static async start(stage: Stage): Promise<Load> {
    for (let i = 0; i < OBJECTS; i++) {
      const { status, text } = await stage.api().post(PATH, { metadata: { name: `s-${i}` } });
      if (status !== 201) throw new Error(`${status} ${text}`);
    }
    return new Load(stage);
  }

  async during(ms: number): Promise<Pace> {
    const [began, done, blocks] = [performance.now(), this.#done, await blocksOf(this.stage)];
    await rest(ms, this.#ended.signal);
    const writes = this.#done - done;
    const read = (await blocksOf(this.stage)) - blocks;
    return { rate: (writes * 1000) / (performance.now() - began), blocks: read / Math.max(1, writes) };
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #write(writer: number): Promise<void> {
    const { cluster } = this.stage;
    const api = this.stage.api(cluster.apiServerUrls[writer % cluster.apiServerUrls.length]);
    for (let turn = writer; !this.#ended.signal.aborted; turn += WRITERS) {
      const body = { metadata: { annotations: { turn: String(turn) } } };
      const answer = await api.patch(`${PATH}/s-${turn % OBJECTS}`, 'merge', body);
      if (answer.status === 200) this.#done++;
      else this.failures.push(`${answer.status} ${answer.text}`);
    }
  }
}

async function blocksOf({ postgresUrl }: Stage): Promise<number> {
  const [row] = await sql<{ blocks: string }>(
    postgresUrl,
    'SELECT blks_hit + blks_read AS blocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row?.blocks ?? 0);
}
