import pg from 'pg';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, staged, tortured } from './scenario.js';

export const writerPaused = tortured(
  {
    name: 'writer-paused',
    fault: 'an api-server is stopped (SIGSTOP) for 5 to 30 s at random moments of its writing, then goes on',
    pass: 'V1–V7; writes go on within 5 s at the other; what the paused one wrote late is in order or fails cleanly',
  },
  (settings) => ({
    faults: async (stage) => {
      for (let i = 0; i < scaled(settings, 10, 2); i++) {
        await rest(stage.random.between(300, 1_500), stage.signal);
        const index = stage.random.between(0, stage.cluster.apiServers.length - 1);
        const victim = stage.cluster.apiServers[index];
        const other = stage.cluster.apiServerUrls[1 - index] ?? '';
        await victim?.kill('SIGSTOP');
        const paused = rest(stage.random.between(5_000, scaled(settings, 30_000, 7_000)), stage.signal);
        try {
          await expectLanes(stage, other);
          await paused;
        } finally {
          await victim?.kill('SIGCONT');
        }
      }
    },
  }),
);

/** Every lane that the traffic uses can be had within 5 s, and a server that does not stand still answers. */
async function expectLanes(stage: Stage, url: string): Promise<void> {
  for (const resource of ['configmaps', 'events']) {
    await stage.recovers(`the lane of ${resource} is free`, 5_000, async () => {
      const rows = await sql(
        stage.postgresUrl,
        `SELECT FROM lane WHERE api_group = '' AND resource = $1 AND pg_try_advisory_xact_lock('lane'::regclass::integer, id)`,
        [resource],
      );
      return rows.length === 1;
    });
  }
  const answers = async () =>
    (await stage.api(url).post(SECRETS, { metadata: { generateName: 'other-' } })).status === 201;
  await stage.recovers('the other one writes', 5_000, answers);
}

const SECRETS = '/api/v1/namespaces/default/secrets';
const LOCK = `SELECT pg_advisory_xact_lock('cluster.lane'::regclass::integer, id) FROM cluster.lane WHERE api_group = '' AND resource = 'secrets'`;
/** Statement timeout of the servers' sessions; the database ends a transaction that is idle for longer. */
const STATEMENT_TIMEOUT_MS = 4_500;

export const headRowHeld = staged(
  {
    name: 'head-row-held',
    fault: 'a session with the settings of the servers holds a lane and is silent; another one holds it without limits',
    pass: 'the lane is free again within 5 s; its late commit fails cleanly; while it is held for ever, writes are refused with 503 or 504 in time',
  },
  {},
  async (stage, settings) => {
    for (let i = 0; i < scaled(settings, 10, 1); i++) await holdAsServer(stage);
    await holdForEver(stage);
  },
);

async function holdAsServer(stage: Stage): Promise<void> {
  const holder = new pg.Client({
    connectionString: stage.postgresUrl,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
  });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(LOCK);
  await stage.recovers('the lane is free', 5_000, async () => (await write(stage)) === 201);
  const committed = await holder.query('COMMIT').then(
    () => true,
    () => false,
  );
  stage.must('R.answer', !committed, 'the late commit succeeded');
  await holder.end().catch(() => undefined);
}

async function holdForEver(stage: Stage): Promise<void> {
  const holder = new pg.Client({ connectionString: stage.postgresUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(LOCK);
  const start = performance.now();
  const status = await write(stage);
  const took = performance.now() - start;
  stage.measure('ms until a write behind a held lane is refused', took);
  stage.must('R.answer', status === 503 || status === 504, `answered with ${status}`);
  stage.must('R.latency', took < 8_000, `refused only after ${took.toFixed(0)} ms`);
  await holder.query('COMMIT');
  await holder.end();
  await stage.recovers('the lane is free once it is let go', 5_000, async () => (await write(stage)) === 201);
}

async function write(stage: Stage): Promise<number> {
  return (await stage.api().post(SECRETS, { metadata: { generateName: 'held-' } })).status;
}
