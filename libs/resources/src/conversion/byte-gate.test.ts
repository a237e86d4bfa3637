import { describe, expect, it } from 'vitest';
import { limitBehind } from '../limit-errors.js';
import { ByteGate } from './byte-gate.js';

const gateOf = (bytes: number, patience = 60_000) => new ByteGate(bytes, patience, 'things');

describe('ByteGate', () => {
  it('lets as much in as fits, the others in the order of their coming', async () => {
    const gate = gateOf(10);
    const order: string[] = [];
    const enter = (name: string, bytes: number) =>
      gate.enter(bytes).then((leave) => {
        order.push(name);
        return leave;
      });
    const first = await enter('first', 6);
    const second = await enter('second', 4);
    const large = enter('large', 8);
    // It would fit sooner, and does not overtake.
    const small = enter('small', 2);
    second();
    await new Promise(setImmediate);
    expect(order).toEqual(['first', 'second']);
    first();
    (await large)();
    (await small)();
    expect(order).toEqual(['first', 'second', 'large', 'small']);
  });

  it('lets in alone what is more than it ever holds', async () => {
    const gate = gateOf(10);
    const leave = await gate.enter(1);
    const huge = gate.enter(100);
    leave();
    (await huge)();
    (await gate.enter(10))();
  });

  it('refuses those who waited too long, and forgets them', async () => {
    const gate = gateOf(10, 5);
    const leave = await gate.enter(9);
    const refusal = await gate.enter(5).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 429 });
    expect(limitBehind(refusal)).toBe('conversions');
    (await gate.enter(1))();
    leave();
    (await gate.enter(10))();
  });
});
