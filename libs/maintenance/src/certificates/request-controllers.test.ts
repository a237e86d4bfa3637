import { conflict } from '@orch/machinery';
import { ManualClock, ManualInformer } from '@orch/runtime/testing';
import { type RunningControllers, runControllers } from '@orch/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { requestControllers } from './request-controllers.js';
import type { RequestState, RequestSummary } from './request-summary.js';

const NEVER = Number.POSITIVE_INFINITY;
const MINUTE = 60_000;

let running: RunningControllers;
afterEach(() => running.stop());

/** Controllers whose neighbours note what is wanted of them. */
function staged() {
  const clock = new ManualClock(0);
  const requests = new ManualInformer<RequestSummary>();
  const done: string[] = [];
  const errors: unknown[] = [];
  const state = { mayBeApproved: true, error: undefined as unknown };
  let onSigners = (): void => undefined;
  const note = (what: string) => async (summary: RequestSummary) => {
    done.push(`${what} ${summary.name}`);
    if (state.error) throw state.error;
  };
  const put = (name: string, is: RequestState, removeAt = NEVER) => {
    const summary = { uid: name, resourceVersion: '1', signerName: 's', seconds: undefined, lifetime: undefined };
    requests.put(name, { ...summary, name, state: is, removeAt });
  };
  const approve = note('approve');
  const controllers = requestControllers({
    requests,
    approver: {
      isDue: (summary) => summary.state === 'pending',
      async approve(summary) {
        await approve(summary);
        return state.mayBeApproved;
      },
    },
    signer: { isDue: (summary) => summary.state === 'approved', sign: note('sign') },
    onSigners: (listener) => {
      onSigners = listener;
      return () => undefined;
    },
    remove: note('remove'),
    now: () => clock.wall(),
  });
  const start = async () => {
    running = await runControllers({ controllers }, { clock, onError: (error) => void errors.push(error) });
  };
  return { clock, requests, errors, state, put, start, taken: () => done.splice(0), signersChange: () => onSigners() };
}

describe('certificate requests', () => {
  it('are dealt with that were there, and that come', async () => {
    const stage = staged();
    stage.put('old', 'approved');
    await stage.start();
    await stage.clock.advance(0);
    expect(stage.taken()).toEqual(['sign old']);
    stage.put('new', 'pending');
    stage.put('done', 'issued');
    await stage.clock.advance(10);
    expect(stage.taken()).toEqual(['approve new']);
    await stage.clock.advance(10 * MINUTE);
    expect(stage.taken()).toEqual([]);
  });

  it('are looked at again when others can be signed', async () => {
    const stage = staged();
    stage.put('a', 'approved');
    await stage.start();
    await stage.clock.advance(0);
    expect(stage.taken()).toEqual(['sign a']);
    stage.signersChange();
    await stage.clock.advance(0);
    expect(stage.taken()).toEqual(['sign a']);
  });

  it('that may not be approved yet are looked at again, less often each time', async () => {
    const stage = staged();
    stage.state.mayBeApproved = false;
    stage.put('a', 'pending');
    await stage.start();
    await stage.clock.advance(0);
    const times: number[] = [];
    for (let ms = 0; ms < 40_000; ms += 200) {
      times.push(...stage.taken().map(() => ms));
      await stage.clock.advance(200);
    }
    expect(times).toEqual([0, 200, 600, 1_400, 3_000, 6_200, 12_600, 25_400]);
    stage.state.mayBeApproved = true;
    await stage.clock.advance(30 * MINUTE);
    expect(stage.taken()).toEqual(['approve a']);
    expect(stage.errors).toEqual([]);
  });

  it('that cannot be signed keep nobody from the others, and are tried again', async () => {
    const stage = staged();
    stage.state.error = new Error('no more');
    stage.put('a', 'approved');
    stage.put('b', 'approved');
    await stage.start();
    await stage.clock.advance(0);
    expect([stage.taken(), stage.errors.length]).toEqual([['sign a', 'sign b'], 2]);
    stage.state.error = undefined;
    await stage.clock.advance(1000);
    expect(stage.taken()).toEqual(['sign a', 'sign b']);
    await stage.clock.advance(MINUTE);
    expect(stage.taken()).toEqual([]);
  });

  it('that somebody else has written meanwhile are no error', async () => {
    const stage = staged();
    stage.state.error = conflict({ group: '', resource: 'x' }, 'a', 'other');
    stage.put('a', 'approved');
    await stage.start();
    await stage.clock.advance(0);
    expect([stage.taken(), stage.errors]).toEqual([['sign a'], []]);
  });

  it('are removed when they are of no use any more', async () => {
    const stage = staged();
    stage.put('a', 'issued', 5 * MINUTE);
    stage.put('b', 'denied', 70 * MINUTE);
    await stage.start();
    await stage.clock.advance(5 * MINUTE);
    expect(stage.taken()).toEqual([]);
    await stage.clock.advance(1);
    expect(stage.taken()).toEqual(['remove a']);
    stage.requests.remove('a');
    await stage.clock.advance(60 * MINUTE);
    expect(stage.taken()).toEqual([]);
    await stage.clock.advance(6 * MINUTE);
    expect(stage.taken()).toEqual(['remove b']);
  });
});
