import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunResult, run } from '../run.js';
import { expectWrites } from '../stage/database-down.js';
import { FragilePostgres } from '../stage/fragile-postgres.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled } from './scenario.js';

async function losePower(settings: ScenarioSettings, fsync: boolean): Promise<RunResult> {
  const dir = mkdtempSync(join(tmpdir(), 'torture-power-'));
  const postgres = await FragilePostgres.start(dir, fsync);
  try {
    return await run({
      seed: settings.seed,
      log: settings.log,
      seconds: 0,
      watchers: scaled(settings, 100, 16),
      writers: 4,
      serverArgs: [`--postgres-url=${postgres.url}`],
      postgresUrl: postgres.url,
      faults: async (stage) => {
        // Without flushes only what an orderly stop wrote is on the disk: the tables, and nobody's writes.
        await postgres.settle();
        for (let i = 0; i < scaled(settings, 10, 2); i++) {
          await rest(stage.random.between(1_500, 4_000), stage.signal);
          await postgres.losePower();
          await expectWrites(stage);
        }
      },
    });
  } finally {
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

export const powerLoss: Scenario = {
  name: 'power-loss',
  fault: 'the power of PostgreSQL fails: what was not flushed is gone',
  pass: 'V1–V4, V6, V7: every acknowledged write is there',
  run: (settings) => losePower(settings, true),
};

/** The negative control. */
export const powerLossUnflushed = controlled(
  {
    name: 'power-loss-unflushed',
    fault: 'the same with fsync=off: the negative control',
    pass: 'V3 says that acknowledged writes are lost',
    run: (settings) => losePower(settings, false),
  },
  'V3.lost',
);
