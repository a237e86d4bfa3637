import { describe, expect, it } from 'vitest';
import type { WriteOp } from '../face/store.js';
import { SealingTurns } from './sealing-turns.js';

const op = (name: string): WriteOp => ({
  op: 'create',
  type: 1,
  namespace: '',
  name,
  uid: 'u',
  body: Buffer.from(name),
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

  it('lets others have their turn when it has taken a moment, and goes on in order', async () => {
    let passed = 0;
    const sealedIn = new Map<string, number>();
    const turns = new SealingTurns(({ name, body }) => {
      sealedIn.set(name, passed);
      const began = performance.now();
      while (performance.now() - began < 1.1);
      return body;
    });
    const made = ['a', 'b', 'c'].map((name) => turns.sealed([op(name)]));
    for (; sealedIn.size < 3; passed++) await turn();
    made.push(turns.sealed([op('d')]));
    await Promise.all(made);
    expect([...sealedIn.keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set(sealedIn.values()).size).toBe(4);
  });

  it('is drained when whoever has waited has gone on', async () => {
    const gone: string[] = [];
    const turns = new SealingTurns(({ body }) => {
      const began = performance.now();
      while (performance.now() - began < 1.1);
      return body;
    });
    for (const name of ['a', 'b', 'c']) void turns.sealed([op(name)]).then(() => gone.push(name));
    await turns.drained();
    expect(gone).toEqual(['a', 'b', 'c']);
    await turns.drained();
  });
});
