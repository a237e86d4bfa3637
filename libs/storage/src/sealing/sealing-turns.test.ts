import { describe, expect, it } from 'vitest';
import type { WriteOp } from '../store.js';
import { SealingTurns } from './sealing-turns.js';

const op = (name: string, bytes = 1): WriteOp => ({
  op: 'create',
  type: 1,
  namespace: '',
  name,
  uid: 'u',
  body: Buffer.alloc(bytes),
  requireNamespace: false,
});

/** Resolves at the end of a turn of the event loop, behind what was to happen there before. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('SealingTurns', () => {
  it('seals what came in a turn at its end, in order, each for itself', async () => {
    const order: string[] = [];
    const turns = new SealingTurns(({ name }) => {
      order.push(name);
      if (name === 'bad') throw new Error('no key');
      return name === 'plain' ? undefined : Buffer.from(name);
    });
    const made = ['a', 'bad', 'plain', 'b'].map((name) => turns.sealed([op(name)]));
    const settled = Promise.allSettled(made);
    expect(order).toEqual([]);
    await turn();
    expect(order).toEqual(['a', 'bad', 'plain', 'b']);
    expect(await settled).toEqual([
      { status: 'fulfilled', value: [{ ...op('a'), sealed: Buffer.from('a') }] },
      { status: 'rejected', reason: new Error('no key') },
      { status: 'fulfilled', value: [op('plain')] },
      { status: 'fulfilled', value: [{ ...op('b'), sealed: Buffer.from('b') }] },
    ]);
  });

  it('lets others have their turn between large ones, and goes on behind what it has sealed', async () => {
    const order: string[] = [];
    const turns = new SealingTurns(({ name, body }) => {
      order.push(name);
      return body;
    });
    const made = ['a', 'b', 'c'].map((name) => turns.sealed([op(name, 200 << 10)]));
    await turn();
    expect(order).toEqual(['a', 'b']);
    made.push(turns.sealed([op('d')]));
    await turn();
    expect(order).toEqual(['a', 'b', 'c', 'd']);
    await Promise.all(made);
    made.push(turns.sealed([op('e')]));
    await turn();
    expect(order.at(-1)).toBe('e');
  });
});
