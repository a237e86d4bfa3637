import { describe, expect, it } from 'vitest';
import type { Version } from '../face/key.js';
import type { Row } from '../face/store.js';
import { body, key, namesIn, type Rig, rowsOf, versionOf } from './rig.js';

/** Lists of one state. */
export function describeSnapshots(rig: Rig): void {
  const { freshType, create, update, remove, headOf } = rig;

  describe('snapshots', () => {
    it('come in byte order, by namespace, behind a key, with a limit and what it cut off', async () => {
      const type = await freshType();
      // UTF-16 order would put the astral character before U+FFFD.
      const names = ['a', 'a-b', 'a.b', 'ab', 'b', 'z', '\u{fffd}', '\u{1f600}'];
      const keys = ['', 'n', 'n-1', 'n1', 'z'].flatMap((ns) => names.map((n) => key(n, ns)));
      await Promise.all([...keys].reverse().map((k) => create(type, k)));
      const all = await rig.store.snapshot({ type });
      expect((await rowsOf(all)).map(({ namespace, name }) => ({ namespace, name }))).toEqual(keys);
      expect(all.version).toBe((await headOf(type)).head);
      expect(all.remaining).toBeUndefined();
      expect(await namesIn(await rig.store.snapshot({ type, namespace: 'n' }))).toEqual(names);
      expect(await namesIn(await rig.store.snapshot({ type, namespace: 'none' }))).toEqual([]);
      const page = await rig.store.snapshot({ type, after: key('b', 'n'), limit: 5, cut: 'count' });
      const rest = keys.slice(keys.findIndex((k) => k.namespace === 'n' && k.name === 'b') + 1);
      expect([page.remaining, page.last]).toEqual([rest.length - 5, rest[4]]);
      const whole = await rig.store.snapshot({ type, after: key('b', 'n'), limit: rest.length, cut: 'find' });
      expect([await namesIn(whole), whole.last]).toEqual([rest.map(({ name }) => name), undefined]);
      expect((await rowsOf(page)).map(({ namespace, name }) => ({ namespace, name }))).toEqual(rest.slice(0, 5));
      const inside = await rig.store.snapshot({
        type,
        namespace: 'n1',
        after: key('ab', 'n1'),
        limit: 100,
        cut: 'count',
      });
      expect([inside.remaining, inside.last]).toEqual([0, undefined]);
      expect(await namesIn(inside)).toEqual(names.slice(4));
    });

    it('stay as they were while writes go on, and pages of one version fit together', async () => {
      const type = await freshType();
      const versions = new Map<string, Version>();
      await Promise.all(
        Array.from({ length: 1300 }, async (_, i) =>
          versions.set(`o${i}`, versionOf(await create(type, key(`o${i}`), 'old'))),
        ),
      );
      const streamed = await rig.store.snapshot({ type });
      const first = await rig.store.snapshot({ type, limit: 100, cut: 'count' });
      expect(first.remaining).toBe(1200);
      const rows: Row[] = [];
      let round = 0;
      for await (const page of streamed.pages) {
        rows.push(...page);
        const name = `o${round++}`;
        versions.set(name, versionOf(await update(type, key(name), versions.get(name) ?? 0n, 'new')));
        await remove(type, key(`o${1000 + round}`), versions.get(`o${1000 + round}`) ?? 0n);
        await create(type, key(`p${round}`), 'new');
      }
      expect(rows).toHaveLength(1300);
      expect(rows.every((row) => row.body.equals(body('old')) && row.version <= streamed.version)).toBe(true);
      expect(round).toBeGreaterThan(1);
      const pages = await rowsOf(first);
      for (let after = pages.at(-1); after; ) {
        const asked = { type, at: first.version, after, limit: 300 };
        const next = await rig.store.snapshot({ ...asked, cut: 'count' });
        const found = await rig.store.snapshot({ ...asked, cut: 'find' });
        expect([found.last, found.remaining]).toEqual([next.last, undefined]);
        expect(await rowsOf(found)).toHaveLength(Math.min(300, 1300 - pages.length));
        expect(next.version).toBe(first.version);
        const got = await rowsOf(next);
        pages.push(...got);
        expect(next.remaining).toBe(1300 - pages.length);
        after = next.remaining === 0 ? undefined : got.at(-1);
      }
      expect(pages).toEqual(rows);
    });

    it('may be left early, or never read, without holding anything up', async () => {
      const type = await freshType();
      await Promise.all(Array.from({ length: 1100 }, (_, i) => create(type, key(`o${i}`))));
      for (let i = 0; i < 12; i++) {
        for await (const page of (await rig.store.snapshot({ type })).pages) {
          expect(page.length).toBeGreaterThan(0);
          break;
        }
      }
      await expect(
        rig.store.snapshot({ type, at: (await rig.store.lastVersion(type)) + 1000n }),
      ).rejects.toBeInstanceOf(RangeError);
      expect(await rowsOf(await rig.store.snapshot({ type }))).toHaveLength(1100);
    });
  });
}
