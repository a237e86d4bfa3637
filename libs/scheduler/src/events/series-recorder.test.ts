import { ManualClock } from '@orch/runtime/testing';
import { expect, it } from 'vitest';
import { SeriesRecorder } from './series-recorder.js';

/** Events that are on their way at a time. */
const WRITERS = 16;
const event = { type: 'Normal', reason: 'Scheduled', action: 'Binding', note: 'n' } as const;

function recorder() {
  const clock = new ManualClock();
  const errors: string[] = [];
  let fail = (_: Error): void => undefined;
  const answer = new Promise<never>((_, reject) => (fail = reject));
  const series = new SeriesRecorder({
    ...{ instance: 'host', clock, onError: (error) => errors.push((error as Error).message) },
    sink: { create: () => answer, setSeries: async () => undefined },
  });
  let pods = 0;
  const record = (count: number) => {
    for (let at = 0; at < count; at++)
      series.record({ metadata: { namespace: 'a', name: 'p', uid: String(pods++) } }, event, 'default-scheduler');
  };
  return { clock, errors, series, record, fail };
}

it('counts events that are dropped, and reports them now and then', () => {
  const { clock, errors, record } = recorder();
  record(1_000 + WRITERS);
  expect(errors).toEqual([]);
  record(500);
  expect(errors).toEqual(['too many events wait to be written: 1 more were dropped']);
  clock.advanceNow(10_000);
  record(1);
  expect(errors[1]).toBe('too many events wait to be written: 500 more were dropped');
});

it('reports nothing that cannot be written after its end', async () => {
  const { errors, series, record, fail } = recorder();
  record(20);
  series.stop();
  fail(new Error('the connection is closed'));
  await new Promise(setImmediate);
  record(1);
  expect(errors).toEqual([]);
});
