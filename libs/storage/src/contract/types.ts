import { expect, it } from 'vitest';
import { key, type Rig } from './rig.js';

/** Types, their ids, and the life of a store. */
export function describeTypes(rig: Rig): void {
  const { headOf } = rig;

  it('gives a type one id for ever, and its own starting version', async () => {
    const asked = [
      { group: 'a', resource: 'x' },
      { group: 'b', resource: 'x' },
      { group: 'a', resource: 'y' },
    ];
    const first = await rig.store.registerTypes(asked);
    expect(new Set(first).size).toBe(3);
    const other = await rig.peer();
    expect(await other.registerTypes([...asked].reverse())).toEqual([...first].reverse());
    const [a, b] = await Promise.all([
      rig.store.registerTypes([{ group: 'race', resource: 'r' }]),
      other.registerTypes([{ group: 'race', resource: 'r' }]),
    ]);
    expect(a).toEqual(b);
    const { head, floor } = await headOf(first[0] ?? 0);
    expect(head).toBeGreaterThan(0n);
    expect(floor).toBe(head);
  });

  it('answers a ping, and nothing once it is closed', async () => {
    const other = await rig.peer();
    await other.ping();
    await other.close();
    await expect(other.ping()).rejects.toThrow();
    await expect(other.get(rig.namespaces, key('a'))).rejects.toThrow();
  });
}
