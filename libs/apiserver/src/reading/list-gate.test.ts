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
    await expect(gate.enter()).rejects.toMatchObject({ code: 429 });
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
    expect([isIn, gate.isWanted, gate.stats()]).toEqual([false, true, { reading: 2, waiting: 1 }]);
    first();
    (await third)();
    expect(gate.isWanted).toBe(false);
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

  it('forgets who waited in vain, and goes on with the others', async () => {
    const gate = new ListGate({ inAll: 1, perUser: 1 }, 20);
    const leave = await gate.enter('a');
    await expect(gate.enter('b')).rejects.toMatchObject({ code: 429 });
    expect([gate.isWanted, gate.stats()]).toEqual([false, { reading: 1, waiting: 0 }]);
    const next = gate.enter('c');
    leave();
    (await next)();
  });
});
