import { describe, expect, it } from 'vitest';
import { HistoryExpiredError } from '../face/errors.js';
import type { Change, WriteOutcome } from '../face/store.js';
import { body, key, type Rig, rowsOf, versionOf } from './rig.js';

/** The chain of changes, and where it ends. */
export function describeHistory(rig: Rig): void {
  const { freshType, create, update, remove, headOf } = rig;

  describe('history', () => {
    it('is one chain, with the state before each change', async () => {
      const type = await freshType();
      const { head: start } = await headOf(type);
      const v1 = versionOf(await create(type, key('a'), '1'));
      const v2 = versionOf(await create(type, key('b'), '2'));
      const v3 = versionOf(await update(type, key('a'), v1, '3'));
      const v4 = versionOf(await remove(type, key('a'), v3));
      const history = await rig.store.changes(type, start, 100);
      expect(history.map((c) => [c.op, c.name, c.previous, c.version])).toEqual([
        ['create', 'a', start, v1],
        ['create', 'b', v1, v2],
        ['update', 'a', v2, v3],
        ['delete', 'a', v3, v4],
      ]);
      expect(history.map((c) => [c.prior?.toString(), c.priorVersion])).toEqual([
        [undefined, undefined],
        [undefined, undefined],
        [body('1').toString(), v1],
        [body('3').toString(), v3],
      ]);
      expect(history.map((c) => c.body.toString())).toEqual(['1', '2', '3', 'last'].map((t) => body(t).toString()));
      expect(history.every((c) => c.type === type && c.uid === 'u-1' && Math.abs(c.at - Date.now()) < 60_000)).toBe(
        true,
      );
      expect((await rig.store.changes(type, v1, 2)).map((c) => c.version)).toEqual([v2, v3]);
      expect(await rig.store.changes(type, v4, 10)).toEqual([]);
      expect(await headOf(type)).toEqual({ head: v4, floor: start });
      expect(await rig.store.settledHead(type, v4 + 1n)).toEqual({ head: v4, floor: start });
      expect(await rig.store.lastVersion(type)).toBeGreaterThanOrEqual(v4);
    });

    it('tells of the states before changes what is looked at', async () => {
      const type = await freshType();
      const { head: start } = await headOf(type);
      const v1 = versionOf(await create(type, key('a'), '1'));
      await remove(type, key('a'), versionOf(await update(type, key('a'), v1, '2')));
      const whole = await rig.store.changes(type, start, 100, 'body');
      expect(await rig.store.changes(type, start, 100)).toEqual(whole);
      const bare = await rig.store.changes(type, start, 100, 'version');
      expect(bare).toEqual(whole.map(({ prior, ...change }) => change));
      expect(bare.map((change) => change.priorVersion)).toEqual([undefined, v1, whole[1]?.version]);
      expect(await rig.store.changes(type, v1, 100, 'version')).toEqual(bare.slice(1));
    });

    it('is told to listeners as it is kept, refusals left out', async () => {
      const type = await freshType();
      const { head: start } = await headOf(type);
      const received: Change[] = [];
      const stop = rig.store.onCommit((changes) => received.push(...changes.filter((c) => c.type === type)));
      const versions = await Promise.all(Array.from({ length: 30 }, (_, i) => create(type, key(`n${i % 25}`), `${i}`)));
      const a = versionOf(versions[0] as WriteOutcome);
      await remove(type, key('n0'), versionOf(await update(type, key('n0'), a, 'x')));
      stop();
      await create(type, key('unheard'));
      const kept = await rig.store.changes(type, start, 1000);
      expect(received.map(({ sealed: _sealed, ...change }) => change)).toEqual(
        kept.slice(0, -1).map(({ prior, priorVersion, priorStoredVersion, priorDefaults, ...change }) => change),
      );
      expect(received).toHaveLength(27);
    });

    it('shows a finished write to every later reader', async () => {
      const type = await freshType();
      const other = await rig.peer();
      for (let i = 0; i < 20; i++) {
        const version = versionOf(await create(type, key(`${i}`)));
        const [a, b, row] = await Promise.all([headOf(type), headOf(type, other), other.get(type, key(`${i}`))]);
        expect([a.head, b.head, row?.version]).toEqual([version, version, version]);
      }
    });

    it('is refused below the floor and whole above it', async () => {
      const type = await freshType();
      const quiet = await freshType();
      const quietHead = await headOf(quiet);
      const old = versionOf(await create(type, key('a'), 'old'));
      const mid = versionOf(await update(type, key('a'), old, 'mid'));
      await rig.compact();
      const { floor, head } = await headOf(type);
      expect([floor, head]).toEqual([mid, mid]);
      await expect(rig.store.changes(type, old, 10)).rejects.toMatchObject({ requested: old, floor, head });
      await expect(rig.store.snapshot({ type, at: old })).rejects.toBeInstanceOf(HistoryExpiredError);
      expect(await rig.store.changes(type, mid, 10)).toEqual([]);
      const fresh = versionOf(await update(type, key('a'), mid, 'new'));
      expect((await rig.store.changes(type, mid, 10)).map((c) => [c.previous, c.version])).toEqual([[mid, fresh]]);
      expect((await rowsOf(await rig.store.snapshot({ type, at: mid }))).map((r) => r.body)).toEqual([body('mid')]);
      // A type in which nothing happened loses nothing.
      expect(await headOf(quiet)).toEqual(quietHead);
      expect(await rig.store.changes(quiet, quietHead.head, 10)).toEqual([]);
    });
  });
}
