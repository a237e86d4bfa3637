import { describe, expect, it } from 'vitest';
import type { Version } from '../face/key.js';
import type { WriteOp } from '../face/store.js';
import { bodyOf } from '../testing/body-codec.js';
import { key, type Rig, rowsOf } from './rig.js';

/** Bodies of one object, one after the other: owners come, change, stay, go, and come again as it goes. */
const BODIES = [
  bodyOf('0'),
  bodyOf('1', 'one'),
  bodyOf('2', 'another'),
  bodyOf('3', 'another'),
  bodyOf('3', ''),
  bodyOf('4'),
  bodyOf('5', 'x'.repeat(20_000)),
  bodyOf('6'),
  bodyOf('last', 'last'),
];

/** Bodies with and without owners of their fields. */
export function describeOwners(rig: Rig): void {
  const { freshType, headOf } = rig;

  describe('owners of fields', () => {
    it.each([
      ['single writes', 1],
      ['sets of three', 3],
    ])('come back with the body that they were written with, and with no other (%s)', async (_, size) => {
      const type = await freshType();
      const other = await rig.peer();
      const { head: start } = await headOf(type);
      const target = { type, ...key('a') };
      const versions: Version[] = [];
      for (let i = 0; i < BODIES.length; i += size) {
        const ops = BODIES.slice(i, i + size).map((body, j): WriteOp => {
          const version = j === 0 ? (versions.at(-1) ?? 0n) : 'previous';
          if (i + j === 0) return { ...target, op: 'create', uid: 'u', body, requireNamespace: false };
          if (i + j === BODIES.length - 1) return { ...target, op: 'delete', body, version };
          return { ...target, op: 'update', body, version, terminating: false };
        });
        const outcome = await rig.store.writeSet(ops);
        if (outcome.outcome !== 'committed') throw new Error(outcome.refusal.outcome);
        versions.push(...outcome.versions);
        const last = i + size < BODIES.length ? BODIES[i + size - 1] : undefined;
        expect((await rig.store.get(type, target))?.body).toEqual(last);
        expect((await other.getStale(type, target))?.body).toEqual(last);
        expect((await rowsOf(await rig.store.snapshot({ type }))).map(({ body }) => body)).toEqual(last ? [last] : []);
      }
      const changes = await rig.store.changes(type, start, 100);
      expect(changes.map(({ body }) => body)).toEqual(BODIES);
      expect(changes.map(({ prior }) => prior)).toEqual([undefined, ...BODIES.slice(0, -1)]);
      for (const [i, at] of versions.slice(0, -1).entries()) {
        for (const asked of [{}, { limit: 1 }, { limit: 5, namespace: 'ns' }]) {
          const rows = await rowsOf(await rig.store.snapshot({ type, at, ...asked }));
          expect(rows.map(({ body, version }) => [version, body])).toEqual([[at, BODIES[i]]]);
        }
      }
    });

    it('are told to listeners as part of the body', async () => {
      const type = await freshType();
      const received: Buffer[] = [];
      const stop = rig.store.onCommit((changes) =>
        received.push(...changes.filter((c) => c.type === type).map((c) => c.body)),
      );
      const body = bodyOf('told', 'owner');
      await rig.store.write({ op: 'create', type, ...key('a'), uid: 'u', body, requireNamespace: false });
      stop();
      expect(received).toEqual([body]);
    });
  });
}
