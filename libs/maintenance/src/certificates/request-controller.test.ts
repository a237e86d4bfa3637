import { conflict } from '@orch/machinery';
import { ManualClock } from '@orch/runtime/testing';
import { RENEWAL_MS } from '@orch/runtime/work';
import { afterEach, describe, expect, it } from 'vitest';
import { RequestController } from './request-controller.js';
import type { RequestOutline, RequestState } from './request-outline.js';

const NEVER = Number.POSITIVE_INFINITY;
const MINUTE = 60_000;

let stage: Stage;
afterEach(() => stage.controller.stop());

type Stage = ReturnType<typeof staged>;

/** A controller whose neighbours note what it wants of them. */
function staged() {
  const clock = new ManualClock();
  const objects = new Map<string, RequestOutline>();
  const done: string[] = [];
  const errors: unknown[] = [];
  const state = { leads: true, mayBeApproved: true, error: undefined as unknown, now: 0, renewals: 0 };
  let led = false;
  let onChange = (_names: ReadonlySet<string>): void => undefined;
  const note = (what: string) => async (outline: RequestOutline) => {
    done.push(`${what} ${outline.name}`);
    if (state.error) throw state.error;
  };
  const put = (name: string, is: RequestState, removeAt = NEVER) => {
    const outline = { uid: name, resourceVersion: '1', signerName: 's', seconds: undefined, lifetime: undefined };
    objects.set(name, { ...outline, name, state: is, removeAt });
    onChange(new Set([name]));
  };
  const approve = note('approve');
  const controller = new RequestController({
    leadership: {
      get leads() {
        return state.leads;
      },
      async renew() {
        state.renewals++;
        const isNew = state.leads && !led;
        led = state.leads;
        return { leads: state.leads, isNew };
      },
      giveBack: async () => undefined,
    },
    follower: {
      objects,
      version: 1n,
      confirm: async () => 1n,
      onChange(listener) {
        onChange = listener;
        return () => undefined;
      },
    },
    approver: {
      isDue: (outline) => outline.state === 'pending',
      async approve(outline) {
        await approve(outline);
        return state.mayBeApproved;
      },
    },
    signer: { isDue: (outline) => outline.state === 'approved', sign: note('sign') },
    remove: note('remove'),
    now: () => state.now,
    onError: (error) => errors.push(error),
    clock,
  });
  const taken = () => done.splice(0);
  return { clock, objects, errors, state, put, controller, taken };
}

describe('certificate requests', () => {
  it('are dealt with that were there, and that come', async () => {
    stage = staged();
    stage.put('old', 'approved');
    stage.controller.start();
    await stage.clock.advance(0);
    expect(stage.taken()).toEqual(['sign old']);
    stage.put('new', 'pending');
    stage.put('done', 'issued');
    await stage.clock.advance(10);
    expect(stage.taken()).toEqual(['approve new']);
    await stage.clock.advance(10 * MINUTE);
    expect(stage.taken()).toEqual([]);
  });

  it('are let alone by who does not lead, who looks at all when it comes to', async () => {
    stage = staged();
    stage.state.leads = false;
    stage.put('a', 'approved');
    stage.controller.start();
    stage.put('b', 'pending');
    stage.controller.lookAgain();
    await stage.clock.advance(2 * RENEWAL_MS);
    expect(stage.taken()).toEqual([]);
    stage.state.leads = true;
    await stage.clock.advance(RENEWAL_MS);
    expect(stage.taken()).toEqual(['sign a', 'approve b']);
  });

  it('that may not be approved yet are looked at again, less often each time', async () => {
    stage = staged();
    stage.state.mayBeApproved = false;
    stage.put('a', 'pending');
    stage.controller.start();
    await stage.clock.advance(0);
    const times: number[] = [];
    for (let second = 0; second < 40; second++) {
      times.push(...stage.taken().map(() => second));
      await stage.clock.advance(1000);
    }
    expect(times).toEqual([0, 1, 3, 7, 15, 31]);
    stage.state.mayBeApproved = true;
    await stage.clock.advance(30 * MINUTE);
    expect(stage.taken()).toEqual(['approve a']);
    expect(stage.errors).toEqual([]);
  });

  it('that cannot be signed keep nobody from the others, and are tried again', async () => {
    stage = staged();
    stage.state.error = new Error('no more');
    stage.put('a', 'approved');
    stage.put('b', 'approved');
    stage.controller.start();
    await stage.clock.advance(0);
    expect([stage.taken(), stage.errors.length]).toEqual([['sign a', 'sign b'], 2]);
    stage.state.error = undefined;
    await stage.clock.advance(1000);
    expect(stage.taken()).toEqual(['sign a', 'sign b']);
    await stage.clock.advance(MINUTE);
    expect(stage.taken()).toEqual([]);
  });

  it('that somebody else has written meanwhile are no error', async () => {
    stage = staged();
    stage.state.error = conflict({ group: '', resource: 'x' }, 'a', 'other');
    stage.put('a', 'approved');
    stage.controller.start();
    await stage.clock.advance(0);
    expect([stage.taken(), stage.errors]).toEqual([['sign a'], []]);
  });

  it('are removed when they are of no use any more', async () => {
    stage = staged();
    stage.put('a', 'issued', 5);
    stage.put('b', 'denied', 10);
    stage.controller.start();
    await stage.clock.advance(0);
    expect(stage.taken()).toEqual([]);
    stage.state.now = 6;
    await stage.clock.advance(MINUTE + RENEWAL_MS);
    expect(stage.taken()).toEqual(['remove a']);
    stage.objects.delete('a');
    stage.state.now = 11;
    await stage.clock.advance(MINUTE + RENEWAL_MS);
    expect(stage.taken()).toEqual(['remove b']);
  });

  it('do not have a process turn in circles that no longer leads', async () => {
    stage = staged();
    stage.state.mayBeApproved = false;
    stage.put('a', 'pending');
    stage.controller.start();
    await stage.clock.advance(0);
    stage.state.leads = false;
    stage.taken();
    stage.state.renewals = 0;
    await stage.clock.advance(MINUTE);
    expect(stage.taken()).toEqual([]);
    expect(stage.state.renewals).toBeLessThan(MINUTE / RENEWAL_MS + 5);
  });
});
