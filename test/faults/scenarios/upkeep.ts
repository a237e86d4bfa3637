import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ORCHCTL } from '../../../tools/up/index.js';
import { scrape } from '../stage/scrape.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, staged } from './scenario.js';

const PATH = '/api/v1/namespaces/default/configmaps';
/** Partitions that there may be beside those that cannot be dropped: with a retention of a second they last about one. */
const MOST_PARTITIONS = 20;

export const partitionRefused = staged(
  {
    name: 'partition-refused',
    fault: 'a view depends on one partition of history and a session holds a lock on another, for good',
    pass: 'the others are dropped as before; metrics and a log line say which one is refused and why; once nothing hinders, both are dropped within 30 s',
  },
  { serverArgs: ['--history-retention=1s'], gateways: 0 },
  async (stage, settings) => {
    await write(stage, 3_000);
    const url = stage.postgresUrl;
    const refused = await newest(url);
    await sql(url, `CREATE VIEW report AS SELECT version FROM ${refused}`);
    await write(stage, 2_000);
    const locked = await newest(url);
    const holder = sql(url, `BEGIN; LOCK TABLE ONLY ${locked} IN ACCESS SHARE MODE; SELECT pg_sleep(600)`);
    const ended = holder.catch(() => undefined);
    await stage.recovers('the metric tells of the partition that is refused', 30_000, async () => {
      await write(stage, 500);
      return (await mostOf(stage, 'orch_history_partitions_left', 'cause="refused"')) === 1;
    });
    await write(stage, scaled(settings, 60_000, 10_000));
    stage.must('R.served', (await standing(url, refused)) && (await standing(url, locked)), 'the fault is not there');
    const partitions = await countOf(url);
    stage.measure('partitions', partitions);
    stage.must('R.recovery', partitions < MOST_PARTITIONS, `${partitions} partitions stand`);
    stage.must(
      'R.served',
      (await mostOf(stage, 'orch_history_overdue_seconds', '')) > 5,
      'no metric says how old history is',
    );
    const logs = stage.cluster.apiServers.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');
    const told = new RegExp(`could not be dropped.*view report depends on table ${refused}`);
    stage.must('R.served', told.test(logs), 'no log line says why');
    await sql(url, 'DROP VIEW report');
    await sql(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()",
    );
    await ended;
    await stage.recovers('both are dropped', 30_000, async () => {
      await write(stage, 500);
      return !(await standing(url, refused)) && !(await standing(url, locked));
    });
  },
);

/** Writes for so many milliseconds; none may fail. */
async function write(stage: Stage, ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const { status, text } = await stage.api().post(PATH, { metadata: { generateName: 'upkeep-' } });
    stage.must('R.answer', status === 201, `a write was answered with ${status}: ${text}`);
    await rest(50, stage.signal);
  }
}

/** The table that the last change lies in. */
async function newest(url: string): Promise<string> {
  const [row] = await sql<{ name: string }>(
    url,
    'SELECT tableoid::regclass::text AS name FROM change ORDER BY version DESC LIMIT 1',
  );
  return row?.name ?? '';
}

async function standing(url: string, table: string): Promise<boolean> {
  const [row] = await sql<{ found: string | null }>(url, 'SELECT to_regclass($1)::text AS found', [table]);
  return typeof row?.found === 'string';
}

async function countOf(url: string): Promise<number> {
  const [row] = await sql<{ n: number }>(url, 'SELECT count(*)::int AS n FROM history_partition');
  return row?.n ?? 0;
}

/** The highest value that an api-server has of a metric. */
async function mostOf(stage: Stage, name: string, label: string): Promise<number> {
  const scrapes = await Promise.all(stage.cluster.apiServerUrls.map((url) => scrape(stage, url)));
  return Math.max(...scrapes.map((each) => each.sum(name, label)));
}

/** Makes one statement of the migrations take so many seconds. */
const slowDown = (seconds: number) => `
CREATE FUNCTION public.slow_down() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${seconds}); END $$;
CREATE EVENT TRIGGER slow_down ON ddl_command_start WHEN TAG IN ('CREATE SEQUENCE') EXECUTE FUNCTION public.slow_down()`;

/** How `orchctl storage migrate` ended, and what it said. */
let migration: Promise<{ readonly stdout: string; readonly stderr: string }> | undefined;

export const longMigration = staged(
  {
    name: 'long-migration',
    fault:
      'a statement of a migration takes far longer than any other may: orchctl storage migrate runs it, and two api-servers and two gateways start meanwhile',
    pass: 'orchctl ends well and says how it goes; the servers wait for it, say so in their logs, and serve once it is done',
  },
  async (settings) => ({
    // A server that a test starts is given up after a minute.
    preparing: async ({ postgresUrl }) => {
      await sql(postgresUrl, slowDown(scaled(settings, 45, 10)));
      const env = { ...process.env, ORCH_POSTGRES_URL: postgresUrl };
      migration = promisify(execFile)(process.execPath, [ORCHCTL, 'storage', 'migrate', '--naming=kubernetes'], {
        env,
      });
      migration.catch(() => undefined);
      const asleep = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
      for (let n = 0; n === 0; ) [{ n } = { n: 0 }] = await sql<{ n: number }>(postgresUrl, asleep);
    },
  }),
  async (stage) => {
    const { stdout, stderr } = (await migration) ?? { stdout: '', stderr: '' };
    stage.must('R.served', /the schema cluster is at \d+/.test(stdout), `orchctl said ${stdout} ${stderr}`);
    stage.must(
      'R.served',
      /0001-initial.* is done \(\d{2,} s\)/.test(stderr),
      `orchctl did not say how it goes: ${stderr}`,
    );
    const [first] = stage.cluster.apiServers;
    const log = readFileSync(first?.logFile ?? '', 'utf8');
    stage.must(
      'R.served',
      log.includes('another process is migrating'),
      'the log of a server does not say what it waits for',
    );
    await write(stage, 1_000);
  },
);
