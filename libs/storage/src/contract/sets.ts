import { describe, expect, it } from 'vitest';
import type { TypeId, Version } from '../face/key.js';
import type { SetOutcome, WriteOp } from '../face/store.js';
import { body, key, type Rig, versionOf } from './rig.js';

const creation = (type: TypeId, name: string): WriteOp => ({
  op: 'create',
  type,
  ...key(name),
  uid: 'u',
  body: body(name),
  requireNamespace: false,
});

const update = (type: TypeId, name: string, version: Version | 'previous', text: string): WriteOp => ({
  op: 'update',
  type,
  ...key(name),
  version,
  body: body(text),
  terminating: false,
});

const removal = (type: TypeId, name: string, version: Version | 'previous'): WriteOp => ({
  op: 'delete',
  type,
  ...key(name),
  version,
  body: body('last'),
});

const versionsOf = (outcome: SetOutcome): readonly Version[] => {
  expect(outcome.outcome).toBe('committed');
  return outcome.outcome === 'committed' ? outcome.versions : [];
};

/** Writes that are committed together or not at all. */
export function describeSets(rig: Rig): void {
  const { freshType, create, headOf } = rig;

  describe('a set', () => {
    it('of several types is committed as one, each write with a version in its type', async () => {
      const [one, two] = [await freshType(), await freshType()];
      const a = versionOf(await create(one, key('a')));
      const b = versionOf(await create(two, key('b')));
      const received: Version[][] = [];
      const stop = rig.store.onCommit((changes) => received.push(changes.map(({ version }) => version)));
      const set = [update(two, 'b', b, 'B'), creation(one, 'c'), removal(one, 'a', a)];
      const versions = versionsOf(await rig.store.writeSet(set));
      stop();
      expect([...versions].sort((x, y) => (x < y ? -1 : 1))).toEqual(versions);
      expect(received).toContainEqual([...versions]);
      expect((await headOf(one)).head).toBe(versions[2]);
      expect((await headOf(two)).head).toBe(versions[0]);
      expect((await rig.store.changes(one, a, 10)).map(({ op, previous }) => [op, previous])).toEqual([
        ['create', a],
        ['delete', versions[1]],
      ]);
      expect((await rig.store.get(two, key('b')))?.body).toEqual(body('B'));
    });

    it('is left undone for one that is refused, and says which and why', async () => {
      const [one, two] = [await freshType(), await freshType()];
      const a = versionOf(await create(one, key('a')));
      const heads = [await headOf(one), await headOf(two)];
      const refused = async (...ops: readonly WriteOp[]) => {
        const outcome = await rig.store.writeSet(ops);
        return outcome.outcome === 'refused' ? [outcome.item, outcome.refusal] : outcome;
      };
      const more = creation(two, 'more');
      expect(await refused(more, creation(one, 'a'))).toEqual([1, { outcome: 'already-exists' }]);
      expect(await refused(update(one, 'a', a - 1n, 'x'), more)).toEqual([0, { outcome: 'conflict', version: a }]);
      expect(await refused(more, update(one, 'a', a, 'x'), removal(two, 'none', 1n))).toEqual([
        2,
        { outcome: 'not-found' },
      ]);
      expect([await headOf(one), await headOf(two)]).toEqual(heads);
      expect(await rig.store.get(two, key('more'))).toBeUndefined();
    });

    it('counts with the writes before it, and they with it', async () => {
      const [one, two] = [await freshType(), await freshType()];
      const a = versionOf(await create(one, key('a')));
      const [first, set, second, late, again] = await Promise.all([
        rig.store.write(update(one, 'a', a, 'single')),
        rig.store.writeSet([creation(two, 'b'), update(one, 'a', a, 'set')]),
        rig.store.writeSet([creation(two, 'b'), creation(one, 'b')]),
        rig.store.write(creation(two, 'b')),
        rig.store.writeSet([creation(two, 'c'), creation(one, 'b')]),
      ]);
      const single = versionOf(first);
      expect(set).toEqual({ outcome: 'refused', item: 1, refusal: { outcome: 'conflict', version: single } });
      versionsOf(second);
      expect(late).toEqual({ outcome: 'already-exists' });
      expect(again).toEqual({ outcome: 'refused', item: 1, refusal: { outcome: 'already-exists' } });
      expect(await rig.store.get(two, key('c'))).toBeUndefined();
    });

    it('may write one object several times, one upon the other', async () => {
      const type = await freshType();
      const { head: start } = await headOf(type);
      const base = versionOf(await create(type, key('hot'), '0'));
      const chain = (version: Version, ...texts: readonly string[]) =>
        texts.map((text, i) => update(type, 'hot', i === 0 ? version : 'previous', text));
      const [made, alone, lost] = await Promise.all([
        rig.store.writeSet(chain(base, '1', '2', '3')),
        create(type, key('cold')),
        rig.store.writeSet(chain(base, 'x', 'y')),
      ]);
      const versions = versionsOf(made);
      expect(alone.outcome).toBe('committed');
      expect(lost).toEqual({ outcome: 'refused', item: 0, refusal: { outcome: 'conflict', version: versions[2] } });
      const end = [update(type, 'hot', versions[2] ?? 0n, '4'), removal(type, 'hot', 'previous')];
      versionsOf(await rig.store.writeSet(end));
      const history = (await rig.store.changes(type, start, 100)).filter(({ name }) => name === 'hot');
      expect(history.map((c) => [c.op, c.body.toString(), c.prior?.toString()])).toEqual([
        ['create', body('0').toString(), undefined],
        ...['1', '2', '3', '4'].map((t, i) => ['update', body(t).toString(), body(`${i}`).toString()]),
        ['delete', body('last').toString(), body('4').toString()],
      ]);
    });

    it('is refused when it could not be looked at as a whole', async () => {
      const type = await freshType();
      const v = versionOf(await create(type, key('a')));
      for (const ops of [
        [],
        [creation(type, 'b'), creation(type, 'b')],
        [update(type, 'a', v, '1'), creation(type, 'b'), update(type, 'a', 'previous', '2')],
        [removal(type, 'a', v), update(type, 'a', 'previous', '1')],
        [update(type, 'a', 'previous', '1')],
        [creation(type, '')],
      ]) {
        await expect(rig.store.writeSet(ops)).rejects.toBeInstanceOf(TypeError);
      }
      await expect(rig.store.write(update(type, 'a', 'previous', '1'))).rejects.toBeInstanceOf(TypeError);
      expect((await headOf(type)).head).toBe(v);
    });

    it('finds the namespaces that it requires as they are before it', async () => {
      const type = await freshType();
      const within = { ...creation(type, 'a'), namespace: 'of-a-set', requireNamespace: true };
      const namespace = { ...creation(rig.namespaces, 'of-a-set'), namespace: '' };
      if (rig.store.database(type) !== rig.store.database(rig.namespaces)) {
        await expect(rig.store.writeSet([namespace, within])).rejects.toBeInstanceOf(TypeError);
        return;
      }
      expect(await rig.store.writeSet([namespace, within])).toEqual({
        outcome: 'refused',
        item: 1,
        refusal: { outcome: 'namespace-not-found' },
      });
      const version = versionOf(await create(rig.namespaces, key('of-a-set', '')));
      const ending = { ...removal(rig.namespaces, 'of-a-set', version), namespace: '' };
      await expect(rig.store.writeSet([ending, within])).rejects.toBeInstanceOf(TypeError);
      expect((await rig.store.writeSet([within, ending])).outcome).toBe('committed');
    });

    it('is whole for every reader while others write the same types', async () => {
      const [one, two] = [await freshType(), await freshType()];
      const other = await rig.peer();
      const pair = (i: number) => [creation(one, `p${i}`), creation(two, `p${i}`)];
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, i) => {
          const store = i % 2 ? rig.store : other;
          return i % 4 < 2 ? store.writeSet(pair(i % 13)) : store.write(creation(i % 8 < 4 ? one : two, `s${i}`));
        }),
      );
      expect(outcomes.length).toBe(40);
      const names = async (type: TypeId) => {
        const changes = await rig.store.changes(type, (await headOf(type)).floor, 1000);
        return changes.filter(({ name }) => name.startsWith('p')).map(({ name }) => name);
      };
      expect(await names(one)).toEqual(await names(two));
      expect(new Set(await names(one)).size).toBe((await names(one)).length);
    });
  });
}
