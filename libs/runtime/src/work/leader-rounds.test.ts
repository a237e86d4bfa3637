import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/index.js';
import { LeaderRounds } from './leader-rounds.js';
import { RENEWAL_MS } from './leadership.js';

/** Rounds of a process that leads while `state.leads`, and takes the pause that `state` says. */
function rounds() {
  const clock = new ManualClock();
  const state = { leads: true, wasLeading: false, isGivenBack: false, pause: undefined as number | undefined };
  const seen: (boolean | 'idle')[] = [];
  const leadership = {
    renew: async () => {
      const isNew = state.leads && !state.wasLeading;
      state.wasLeading = state.leads;
      return { leads: state.leads, isNew };
    },
    giveBack: async () => {
      state.isGivenBack = true;
    },
  };
  const round = async (isNew: boolean) => {
    seen.push(isNew);
    return state.pause;
  };
  const errors: unknown[] = [];
  const work = new LeaderRounds({
    ...{ leadership, round, clock },
    idle: () => void seen.push('idle'),
    onError: (error) => void errors.push(error),
  });
  return { clock, state, seen, errors, work };
}

describe('rounds of the process that leads', () => {
  it('begin when they are asked for and as often as the lease is due, and the first is told to be', async () => {
    const { clock, seen, work } = rounds();
    work.ask();
    await clock.advance(0);
    expect(seen).toEqual([true]);
    await clock.advance(RENEWAL_MS);
    expect(seen).toEqual([true, false]);
  });

  it('are told that they are the first until one has succeeded', async () => {
    const clock = new ManualClock();
    const seen: boolean[] = [];
    let isNew = true;
    const work = new LeaderRounds({
      leadership: {
        renew: async () => {
          const renewed = { leads: true, isNew };
          isNew = false;
          return renewed;
        },
        giveBack: async () => undefined,
      },
      round: async (first) => {
        seen.push(first);
        if (seen.length === 1) throw new Error('what was written before is not known yet');
        return undefined;
      },
      onError: () => undefined,
      clock,
    });
    work.ask();
    await clock.advance(1_000);
    await clock.advance(RENEWAL_MS);
    expect(seen).toEqual([true, true, false]);
    await work.stop();
  });

  it('begin sooner where there is work to come, and never later than the lease is due', async () => {
    const { clock, seen, state, work } = rounds();
    state.pause = 50;
    work.ask();
    await clock.advance(0);
    state.pause = 10 * RENEWAL_MS;
    await clock.advance(50);
    expect(seen).toHaveLength(2);
    await clock.advance(RENEWAL_MS);
    expect(seen).toHaveLength(3);
  });

  it('are none where another process leads, until this one does', async () => {
    const { clock, seen, state, work } = rounds();
    state.leads = false;
    work.ask();
    await clock.advance(0);
    expect(seen).toEqual(['idle']);
    state.leads = true;
    await clock.advance(RENEWAL_MS);
    expect(seen).toEqual(['idle', true]);
  });

  it('end, and give the lease back', async () => {
    const { clock, seen, state, work } = rounds();
    work.ask();
    await clock.advance(0);
    await work.stop();
    expect([work.isStopped, state.isGivenBack]).toEqual([true, true]);
    work.ask();
    await clock.advance(10 * RENEWAL_MS);
    expect(seen).toEqual([true]);
  });
});
