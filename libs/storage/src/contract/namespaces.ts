import { describe, expect, it } from 'vitest';
import { body, key, namesIn, type Rig, versionOf } from './rig.js';

/** Creations and the namespaces that they require. */
export function describeNamespaces(rig: Rig): void {
  const { freshType, create, update, remove } = rig;

  describe('namespaces', () => {
    const makeNamespace = async (name: string) => versionOf(await create(rig.namespaces, key(name, '')));

    it('must exist and stay for creations that require them', async () => {
      const type = await freshType();
      expect(await create(type, key('a', 'nowhere'), '', true)).toEqual({ outcome: 'namespace-not-found' });
      expect((await create(type, key('a', 'nowhere'), '', false)).outcome).toBe('committed');
      const version = await makeNamespace('alive');
      expect((await create(type, key('a', 'alive'), '', true)).outcome).toBe('committed');
      const going = versionOf(await update(rig.namespaces, key('alive', ''), version, 'going', true));
      expect(await create(type, key('b', 'alive'), '', true)).toEqual({ outcome: 'namespace-terminating' });
      // Finalizers may still change what is on its way out.
      const still = versionOf(await update(rig.namespaces, key('alive', ''), going, 'still', true));
      expect(await create(type, key('b', 'alive'), '', true)).toEqual({ outcome: 'namespace-terminating' });
      await remove(rig.namespaces, key('alive', ''), still);
      expect(await create(type, key('b', 'alive'), '', true)).toEqual({ outcome: 'namespace-not-found' });
      await makeNamespace('alive');
      expect((await create(type, key('b', 'alive'), '', true)).outcome).toBe('committed');
    });

    it('are known with the types that they hold objects of', async () => {
      const [one, two, none] = [await freshType(), await freshType(), await freshType()];
      for (const type of [one, two])
        expect((await create(type, key('a', 'held'), '', false)).outcome).toBe('committed');
      expect((await create(none, key('a', 'other'), '', false)).outcome).toBe('committed');
      const version = versionOf(await create(two, key('b', 'held'), '', false));
      expect([...(await rig.store.typesIn('held'))].sort((a, b) => a - b)).toEqual([one, two].sort((a, b) => a - b));
      await remove(two, key('b', 'held'), version);
      expect(await rig.store.typesIn('held')).toContain(two);
      expect(await rig.store.typesIn('nowhere')).toEqual([]);
    });

    it('let nothing slip in behind a deletion', async () => {
      const type = await freshType();
      const other = await rig.peer();
      other.setNamespaceType(rig.namespaces);
      for (let round = 0; round < 8; round++) {
        const ns = `closing${round}`;
        const version = await makeNamespace(ns);
        let closed = false;
        const found = (async () => {
          // Some creations first, so that the deletion lands among them.
          await other.write({
            op: 'create',
            type,
            ...key('first', ns),
            uid: 'u',
            body: body(''),
            requireNamespace: true,
          });
          await update(rig.namespaces, key(ns, ''), version, 'closing', true);
          closed = true;
          return namesIn(await rig.store.snapshot({ type, namespace: ns }));
        })();
        const attempts = Array.from({ length: 4 }, async (_, writer) => {
          for (let i = 0; !closed; i++) {
            const k = key(`w${writer}-${i}`, ns);
            await (writer % 2 ? rig.store : other).write({
              op: 'create',
              type,
              ...k,
              uid: 'u',
              body: body(''),
              requireNamespace: true,
            });
          }
        });
        const seen = await found;
        await Promise.all(attempts);
        // One that was let in too late may have taken itself back.
        expect(seen).toEqual(expect.arrayContaining(await namesIn(await rig.store.snapshot({ type, namespace: ns }))));
      }
    });
  });
}
