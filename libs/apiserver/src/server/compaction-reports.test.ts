import { createLogger, Metrics } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import type { CompactionRound, LeftPartition } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import { compactionMetrics } from '../metrics/compaction-metrics.js';
import { CompactionReports } from './compaction-reports.js';

const MINUTE = 60_000;
const refused: LeftPartition = { number: 7n, attempts: 1, locked: false, reason: 'view report depends on it' };
const locked: LeftPartition = { number: 8n, attempts: 1, locked: true, reason: 'lock timeout' };

function setUp() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const logger = createLogger({ format: 'json', verbosity: 0, clock, write: (line) => lines.push(line) });
  const metrics = new Metrics({ release: '1.27.0', showHidden: false });
  let round: (round: CompactionRound) => void = () => undefined;
  let failure: (error: Error) => void = () => undefined;
  const unheard = () => undefined;
  new CompactionReports({
    compactor: {
      onRound(listener) {
        round = listener;
        return unheard;
      },
      onFailure(listener) {
        failure = listener;
        return unheard;
      },
    },
    database: 1,
    series: compactionMetrics(metrics)(1),
    logger,
    clock,
  });
  return {
    clock,
    logged: () => lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>),
    round: (left: readonly LeftPartition[], overdue = 0, ran = true) =>
      round({ ran, dropped: [], busy: left.length, left, overdue }),
    heard: (told: CompactionRound) => round(told),
    failure: (error: Error) => failure(error),
    metrics: async () => (await metrics.text()).body,
  };
}

describe('reports of compaction', () => {
  it('log a partition that the database refuses to drop at once and every ten minutes, and its end', async () => {
    const { clock, logged, round } = setUp();
    round([refused], 90_000);
    expect(logged()).toMatchObject([
      { database: 1, partition: 'change_7', err: 'view report depends on it', overdueSeconds: 90 },
    ]);
    for (let i = 0; i < 9; i++) {
      await clock.advance(MINUTE);
      round([refused]);
    }
    expect(logged()).toEqual([]);
    await clock.advance(MINUTE);
    round([refused]);
    expect(logged()).toMatchObject([{ partition: 'change_7' }]);
    round([]);
    expect(logged()).toMatchObject([{ msg: 'a partition of history was dropped', partition: 'change_7' }]);
    round([]);
    expect(logged()).toEqual([]);
  });

  it('log a partition that somebody holds once it has lasted for ten minutes', async () => {
    const { clock, logged, round } = setUp();
    round([locked]);
    await clock.advance(9 * MINUTE);
    round([locked]);
    // A round of another process says nothing.
    round([], 0, false);
    expect(logged()).toEqual([]);
    await clock.advance(MINUTE);
    round([locked]);
    expect(logged()).toMatchObject([{ partition: 'change_8', err: 'lock timeout' }]);
  });

  it('count partitions by cause, rounds that failed, and how long the oldest history is overdue', async () => {
    const { clock, round, failure, logged, metrics } = setUp();
    round([refused, locked], 1_500_000);
    failure(new Error('the database refused'));
    expect(logged().at(-1)).toMatchObject({ err: 'the database refused', database: 1 });
    const body = await metrics();
    expect(body).toContain('orch_history_overdue_seconds{database="1"} 1500');
    expect(body).toContain('orch_history_partitions_left{database="1",cause="locked"} 1');
    expect(body).toContain('orch_history_partitions_left{database="1",cause="refused"} 1');
    expect(body).toContain('orch_history_compaction_failures_total{database="1"} 1');
    // Another process makes the rounds from now on, and tells.
    round([], 0, false);
    expect(await metrics()).toContain('orch_history_overdue_seconds{database="1"} 1500');
    await clock.advance(2 * MINUTE);
    round([], 0, false);
    expect(await metrics()).toContain('orch_history_overdue_seconds{database="1"} 0');
  });

  it('say where history begins and ends once this process has made a round, and go on saying so', async () => {
    const { metrics, heard } = setUp();
    const told = async () =>
      (await metrics()).split('\n').filter((line) => /^orch_history_(newest|end|part.*opened)/.test(line));
    heard({ ran: false, dropped: [], busy: 0, left: [], overdue: 0 });
    expect(await told()).toEqual([]);
    const bounds = { newest: 10_000_007n, end: 40_000_000n, oldestOpened: 1_000, newestOpened: 61_500 };
    heard({ ran: true, dropped: [], busy: 0, left: [], overdue: 0, bounds });
    const lines = [
      'orch_history_newest_version{database="1"} 10000007',
      'orch_history_end_version{database="1"} 40000000',
      'orch_history_partition_opened_timestamp_seconds{database="1",partition="oldest"} 1',
      'orch_history_partition_opened_timestamp_seconds{database="1",partition="newest"} 61.5',
    ];
    expect((await told()).sort()).toEqual(lines.sort());
    heard({ ran: false, dropped: [], busy: 0, left: [], overdue: 0 });
    expect((await told()).sort()).toEqual(lines.sort());
  });

  it('count the rounds of this process from nothing on, and none of those of others', async () => {
    const { metrics, round } = setUp();
    const counted = async () =>
      Number(/orch_history_compaction_rounds_total\{database="1"\} (\S+)/.exec(await metrics())?.[1]);
    expect(await counted()).toBe(0);
    round([], 0, false);
    expect(await counted()).toBe(0);
    round([]);
    round([]);
    expect(await counted()).toBe(2);
  });
});
