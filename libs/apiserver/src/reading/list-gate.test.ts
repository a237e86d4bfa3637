import { describe, expect, it } from 'vitest';
import { ListGate } from './list-gate.js';

describe('ListGate', () => {
  it('lets so many in, the others in the order of their coming', async () => {
    const gate = new ListGate(2, 60_000);
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
    const gate = new ListGate(1, 5);
    const leave = await gate.enter();
    await expect(gate.enter()).rejects.toMatchObject({ code: 429 });
    leave();
    (await gate.enter())();
  });
});
