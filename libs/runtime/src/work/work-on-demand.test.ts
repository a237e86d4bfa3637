import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/index.js';
import { WorkOnDemand } from './work-on-demand.js';

/** Rounds that end when they are told to. */
function work(restMs = 0) {
  const clock = new ManualClock();
  const ends: ((error?: Error) => void)[] = [];
  const errors: unknown[] = [];
  const round = () => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
  const demand = new WorkOnDemand(round, { onError: (error) => void errors.push(error), restMs, clock });
  return { clock, ends, errors, demand };
}

describe('work on demand', () => {
  it('is one round at a time, and one more for all who asked meanwhile', async () => {
    const { clock, ends, demand } = work();
    demand.ask();
    demand.ask();
    demand.ask();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await clock.advance(0);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await clock.advance(1_000);
    expect(ends).toHaveLength(2);
  });

  it('rests between rounds', async () => {
    const { clock, ends, demand } = work(100);
    demand.ask();
    ends[0]?.();
    await clock.advance(50);
    demand.ask();
    expect(ends).toHaveLength(1);
    await clock.advance(49);
    expect(ends).toHaveLength(1);
    await clock.advance(1);
    expect(ends).toHaveLength(2);
  });

  it('is tried again when it failed, later each time', async () => {
    const { clock, ends, errors, demand } = work();
    demand.ask();
    for (const pause of [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      const rounds = ends.length;
      ends.at(-1)?.(new Error('no'));
      await clock.advance(pause - 1);
      expect(ends).toHaveLength(rounds);
      await clock.advance(1);
      expect(ends).toHaveLength(rounds + 1);
    }
    expect(errors).toHaveLength(7);
    ends.at(-1)?.();
    await clock.advance(0);
    demand.ask();
    ends.at(-1)?.(new Error('no'));
    await clock.advance(250);
    expect(ends).toHaveLength(10);
  });

  it('is asked for in advance, at the earliest time that was named and not behind another round', async () => {
    const { clock, ends, demand } = work();
    demand.askIn(1_000);
    demand.askIn(100);
    demand.askIn(500);
    await clock.advance(99);
    expect(ends).toHaveLength(0);
    await clock.advance(1);
    expect(ends).toHaveLength(1);
    demand.askIn(200);
    ends[0]?.();
    await clock.advance(0);
    demand.ask();
    ends[1]?.();
    await clock.advance(10_000);
    expect(ends).toHaveLength(2);
    demand.askIn(100);
    await demand.stop();
    demand.askIn(100);
    await clock.advance(1_000);
    expect(ends).toHaveLength(2);
  });

  it('ends after the round under way', async () => {
    const { clock, ends, demand } = work();
    demand.ask();
    demand.ask();
    let stopped = false;
    const stopping = demand.stop().then(() => {
      stopped = true;
    });
    await clock.advance(0);
    expect(stopped).toBe(false);
    ends[0]?.();
    await stopping;
    demand.ask();
    await clock.advance(10_000);
    expect(ends).toHaveLength(1);
  });
});
