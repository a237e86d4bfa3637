import { descendants } from '../../../tools/up/index.js';
import { strike } from '../adversary/adversary.js';
import { expectRefusals, expectWrites } from '../stage/database-down.js';
import { sql } from '../stage/sql.js';
import type { Stage } from '../stage/stage.js';
import { Vigil } from '../stage/vigil.js';
import { rest } from '../traffic/context.js';
import { type ScenarioSettings, scaled, tortured } from './scenario.js';

const WRITES_RESUME =
  'V1–V4, V6, V7 (nothing lost, nothing applied twice); writes resume within 10 s; watches stay open';

/** A fault behind which no watch may end and after which writes resume. */
const behindWatches =
  (fault: (stage: Stage, settings: ScenarioSettings) => Promise<void>) => (settings: ScenarioSettings) => ({
    faults: async (stage: Stage) => {
      const vigil = await Vigil.begin(stage);
      await fault(stage, settings);
      await expectWrites(stage);
      await rest(1_000, stage.signal);
      vigil.end(stage);
    },
  });

export const postgresKills = tortured(
  { name: 'postgres-kills', fault: 'kill -9 of PostgreSQL, again and again', pass: WRITES_RESUME },
  behindWatches(async (stage, settings) => {
    for (let i = 0; i < scaled(settings, 20, 2); i++) {
      await rest(stage.random.between(500, 2_000), stage.signal);
      await strike(stage, stage.cluster.postgres, stage.random.between(0, 3_000));
      await expectWrites(stage);
    }
  }),
);

/** Sessions of the servers; the test's own are left alone. */
const BACKENDS = `SELECT pid FROM pg_stat_activity WHERE application_name = 'cluster-store' AND pid <> pg_backend_pid()`;

export const backendKills = tortured(
  {
    name: 'backend-kills',
    fault: 'kill -9 of one backend of PostgreSQL, which then restarts all of them, again and again',
    pass: WRITES_RESUME,
  },
  behindWatches(async (stage, settings) => {
    for (let i = 0; i < scaled(settings, 20, 3); i++) {
      await rest(stage.random.between(500, 2_000), stage.signal);
      const backends = await sql<{ pid: number }>(stage.postgresUrl, BACKENDS);
      process.kill(stage.random.pick(backends).pid, 'SIGKILL');
      await expectWrites(stage);
    }
  }),
);

export const backendTerminations = tortured(
  {
    name: 'backend-terminations',
    fault: 'pg_terminate_backend of a session of the servers, 10 times a second',
    pass: WRITES_RESUME,
  },
  behindWatches(async (stage, settings) => {
    for (let i = 0; i < scaled(settings, 600, 60); i++) {
      const one = `SELECT pg_terminate_backend(pid) FROM (${BACKENDS} ORDER BY random() LIMIT 1) one`;
      await sql(stage.postgresUrl, one);
      await rest(75, stage.signal);
    }
  }),
);

export const postgresPaused = tortured(
  {
    name: 'postgres-paused',
    fault: 'PostgreSQL is stopped (SIGSTOP, all of its processes) for 10 s and goes on',
    pass: `503 or 504 with Retry-After in time, no pile-up; ${WRITES_RESUME}`,
  },
  behindWatches(async (stage, settings) => {
    for (let i = 0; i < scaled(settings, 3, 1); i++) {
      await rest(stage.random.between(500, 1_500), stage.signal);
      const { pid } = stage.cluster.postgres;
      const all = [pid, ...descendants(pid)];
      for (const one of all) process.kill(one, 'SIGSTOP');
      const paused = rest(10_000, stage.signal);
      try {
        await expectRefusals(stage, 1);
        await expectUnready(stage);
        await paused;
      } finally {
        for (const one of all) process.kill(one, 'SIGCONT');
      }
      await expectWrites(stage);
    }
  }),
);

/** Readiness of a server that cannot reach the database. */
async function expectUnready(stage: Stage): Promise<void> {
  for (const url of stage.cluster.apiServerUrls) {
    const unready = async () => (await stage.api(url).get('/readyz')).status !== 200;
    await stage.recovers('readiness fails', 10_000, unready);
  }
}
