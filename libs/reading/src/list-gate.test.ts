import { limitBehind } from '@orch/resources';
import { describe, expect, it } from 'vitest';
import { ListGate } from './list-gate.js';

describe('ListGate', () => {
  it('lets so many in, the others in the order of their coming', async () => {
    const gate = new ListGate({ inAll: 2, perUser: 2 }, 60_000);
    const [first, second] = [await gate.enter(), await gate.enter()];
    const order: number[] = [];
    const third = gate.enter().then((leave) => {
      order.push(3);
      return leave;
    });
    const fourth = gate.enter().then((leave) => {
      order.push(4);
      return leave;
    });
    first();
    first();
    const leave = await third;
    expect(order).toEqual([3]);
    second();
    await fourth;
    leave();
    await gate.enter();
    expect(order).toEqual([3, 4]);
  });

  it('refuses those who waited too long, and forgets them', async () => {
    const gate = new ListGate({ inAll: 1, perUser: 1 }, 5);
    const leave = await gate.enter();
    const refusal = await gate.enter().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 429 });
    expect(limitBehind(refusal)).toBe('lists');
    leave();
    (await gate.enter())();
  });

  it('keeps places from one user for the others', async () => {
    const gate = new ListGate({ inAll: 3, perUser: 2 }, 60_000);
    const [first] = [await gate.enter('a'), await gate.enter('a')];
    let isIn = false;
    const third = gate.enter('a').then((leave) => {
      isIn = true;
      return leave;
    });
    const other = await gate.enter('b');
    expect(isIn).toBe(false);
    // Of no use to the one who waits: it has all of its own.
    other();
    await Promise.resolve();
    expect([isIn, gate.stats()]).toEqual([false, { reading: 2, waiting: 1 }]);
    expect([gate.isWantedFrom('a'), gate.isWantedFrom('b')]).toEqual([true, false]);
    first();
    (await third)();
    expect(gate.isWantedFrom('a')).toBe(false);
    // Nothing is left of a user whose lists are over.
    await Promise.all([gate.enter('c'), gate.enter('c')]);
  });

  it('lets users in by turns', async () => {
    const gate = new ListGate({ inAll: 1, perUser: 1 }, 60_000);
    let leave = await gate.enter('a');
    const order: string[] = [];
    const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (list) => {
      const left = await gate.enter(list.charAt(0));
      order.push(list);
      leave = left;
    });
    for (let i = 1; i <= waiting.length; i++) {
      leave();
      await expect.poll(() => order.length).toBe(i);
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('offers every other place to lists that go on first', async () => {
    const gate = new ListGate({ inAll: 1, perUser: 1 }, 60_000);
    let leave = await gate.enter('a');
    const order: string[] = [];
    const enter = async (list: string, stage: 'new' | 'begun') => {
      leave = await gate.enter(list, { stage });
      order.push(list);
    };
    for (let i = 1; i <= 3; i++) void enter(`new${i}`, 'new');
    for (let i = 1; i <= 3; i++) void enter(`begun${i}`, 'begun');
    for (let i = 1; i <= 6; i++) {
      leave();
      await expect.poll(() => order.length).toBe(i);
    }
    expect(order).toEqual(['begun1', 'new1', 'begun2', 'new2', 'begun3', 'new3']);
  });

  it('has a list that goes on wait longer than a new one', async () => {
    const gate = new ListGate({ inAll: 1, perUser: 1 }, 20);
    const leave = await gate.enter('a');
    const goesOn = gate.enter('b', { stage: 'begun' });
    await expect(gate.enter('c')).rejects.toMatchObject({ code: 429 });
    leave();
    (await goesOn)();
  });

  it('forgets at once who is not wanted any more, and lets nobody in who was not', async () => {
    const gate = new ListGate({ inAll: 1, perUser: 1 }, 60_000);
    const leave = await gate.enter('a');
    const [going, gone] = [new AbortController(), AbortSignal.abort(new Error('gone'))];
    const waiting = gate.enter('b', { over: going.signal });
    going.abort(new Error('went'));
    await expect(waiting).rejects.toThrow('went');
    await expect(gate.enter('b', { over: gone })).rejects.toThrow('gone');
    expect(gate.stats()).toEqual({ reading: 1, waiting: 0 });
    leave();
    (await gate.enter('c'))();
    expect(gate.stats()).toEqual({ reading: 0, waiting: 0 });
  });

  it('forgets who waited in vain, and goes on with the others', async () => {
    const gate = new ListGate({ inAll: 1, perUser: 1 }, 20);
    const leave = await gate.enter('a');
    await expect(gate.enter('b')).rejects.toMatchObject({ code: 429 });
    expect([gate.isWantedFrom('a'), gate.stats()]).toEqual([false, { reading: 1, waiting: 0 }]);
    const next = gate.enter('c');
    leave();
    (await next)();
  });
});
