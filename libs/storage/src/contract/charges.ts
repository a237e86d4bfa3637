import { describe, expect, it } from 'vitest';
import type { TypeId, Version } from '../face/key.js';
import type { Change, Store, TalliedAmount, Tally, WriteOp, WriteOutcome } from '../face/store.js';
import { key, type Rig, versionOf } from './rig.js';

const usedOf = (body: Buffer): Record<string, string> => JSON.parse(body.toString()).used;

/** Returns the body of an account, and the tally that locates its amounts. */
function account(amounts: Record<string, TalliedAmount>, sameTerms = false): { body: Buffer; tally: Tally } {
  const received = Object.entries(amounts).flatMap(([name, { used }]) =>
    used === undefined ? [] : [`"${name}":"${used}"`],
  );
  const used = `{${received.join()}}`;
  const body = Buffer.from(`{"metadata":{"ü":1},"used":${used},"end":1}`);
  return { body, tally: { place: { fromEnd: used.length + 9, length: used.length }, amounts, sameTerms } };
}

/** Differences that are charged to accounts in the commit of what makes them. */
export function describeCharges(rig: Rig): void {
  const { freshType } = rig;

  async function setUp(...stores: readonly Store[]) {
    const [accounts, type] = [await freshType(), await freshType()];
    for (const store of [rig.store, ...stores]) store.setAccountType(accounts);
    return { accounts, type };
  }

  const open = (type: TypeId, name: string, amounts: Record<string, TalliedAmount>): WriteOp => ({
    ...{ op: 'create', type, ...key(name), uid: 'a', requireNamespace: false },
    ...account(amounts),
  });
  const creation = (
    type: TypeId,
    name: string,
    known: Version,
    charges: Record<string, string> = { pods: '1' },
  ): WriteOp => ({
    ...{ op: 'create', type, ...key(name), uid: 'u', requireNamespace: false, body: Buffer.from(name) },
    charging: { known, charges: [{ account: 'q', amounts: charges, limited: true }] },
  });
  const removal = (type: TypeId, name: string, version: Version, known: Version): WriteOp => ({
    ...{ op: 'delete', type, ...key(name), version, body: Buffer.from(name) },
    charging: { known, charges: [{ account: 'q', amounts: { pods: '-1' } }] },
  });
  const usedNow = async (accounts: TypeId, name = 'q') =>
    usedOf((await rig.store.get(accounts, key(name)))?.body as Buffer);

  describe('a charge', () => {
    it('is decided with the write, and told by one version of the account a batch, behind what is charged', async () => {
      const { accounts, type } = await setUp();
      const limit = {
        pods: { limit: '3', used: '0' },
        cpu: { limit: '2', used: '0' },
        memory: { limit: '4096', used: '0', binary: true },
      };
      const known = versionOf(await rig.store.write(open(accounts, 'q', limit)));
      const received: Change[] = [];
      const stop = rig.store.onCommit((changes) => void received.push(...changes));
      const each = { pods: '1', cpu: '0.5', memory: '1024' };
      const outcomes = await Promise.all(
        ['a', 'b', 'a', 'c', 'd'].map((name) => rig.store.write(creation(type, name, known, each))),
      );
      stop();
      expect(outcomes.map(({ outcome }) => outcome)).toEqual([
        'committed',
        'committed',
        'already-exists',
        'committed',
        'exceeded',
      ]);
      expect(outcomes[4]).toEqual({
        outcome: 'exceeded',
        exceeded: [{ account: 'q', amount: 'pods', used: '3', limit: '3' }],
      });
      const written = await rig.store.changes(accounts, known, 10);
      expect(usedOf(written.at(-1)?.body as Buffer)).toEqual({ pods: '3', cpu: '1500m', memory: '3Ki' });
      expect(JSON.parse(String(written.at(-1)?.body))).toMatchObject({ metadata: { ü: 1 }, end: 1 });
      // What is announced is what is stored, in the order of the versions.
      const announced = received.filter((change) => change.type === accounts);
      expect(announced.map(({ version, previous, body }) => [version, previous, String(body)])).toEqual(
        written.map(({ version, previous, body }) => [version, previous, String(body)]),
      );
      expect(written.map(({ previous }) => previous)).toEqual([known, ...written.slice(0, -1).map((w) => w.version)]);
      expect(received.map(({ version }) => version)).toEqual(
        [...received.map(({ version }) => version)].sort((a, b) => (a < b ? -1 : 1)),
      );
      expect((await rig.store.get(accounts, key('q')))?.version).toBe(written.at(-1)?.version);
    });

    it('is given back with what goes, and left as it was by what is refused', async () => {
      const { accounts, type } = await setUp();
      const known = versionOf(await rig.store.write(open(accounts, 'q', { pods: { limit: '1', used: '0' } })));
      const a = versionOf(await rig.store.write(creation(type, 'a', known)));
      const before = await rig.headOf(accounts);
      expect((await rig.store.write(creation(type, 'a', known))).outcome).toBe('already-exists');
      expect((await rig.store.write(creation(type, 'b', known))).outcome).toBe('exceeded');
      expect((await rig.store.write(removal(type, 'a', a + 1n, known))).outcome).toBe('conflict');
      expect(
        await rig.store.writeSet([
          removal(type, 'a', a, known),
          creation(type, 'b', known),
          creation(type, 'c', known),
        ]),
      ).toEqual({
        outcome: 'refused',
        item: 2,
        refusal: { outcome: 'exceeded', exceeded: [{ account: 'q', amount: 'pods', used: '1', limit: '1' }] },
      });
      expect(await rig.headOf(accounts)).toEqual(before);
      expect((await rig.store.writeSet([removal(type, 'a', a, known), creation(type, 'b', known)])).outcome).toBe(
        'committed',
      );
      // Also where nothing is more or less in the end: who counts meanwhile has to notice.
      expect((await rig.headOf(accounts)).head).toBeGreaterThan(before.head);
      expect(await usedNow(accounts)).toEqual({ pods: '1' });
    });

    it('goes through where no limit counts, and to nobody who is not there or does not count it', async () => {
      const { accounts, type } = await setUp();
      const known = versionOf(await rig.store.write(open(accounts, 'q', { pods: { limit: '0', used: '0' } })));
      const unlimited = (account: string, amounts: Record<string, string>) => [{ account, amounts }];
      const charged = (name: string, charges: ReturnType<typeof unlimited>) =>
        rig.store.write({ ...creation(type, name, known), charging: { known, charges } });
      expect((await charged('a', unlimited('q', { pods: '2', other: '1' }))).outcome).toBe('committed');
      expect((await charged('b', unlimited('gone', { pods: '2' }))).outcome).toBe('committed');
      expect(await usedNow(accounts)).toEqual({ pods: '2' });
    });

    it('is refused while nobody has counted, and what is given back then makes the count begin anew', async () => {
      const { accounts, type } = await setUp();
      const a = versionOf(await rig.store.write({ ...creation(type, 'a', 0n), charging: undefined }));
      const known = versionOf(await rig.store.write(open(accounts, 'q', { pods: { limit: '5' } })));
      expect(await rig.store.write(creation(type, 'b', known))).toEqual({
        outcome: 'exceeded',
        exceeded: [{ account: 'q', amount: 'pods', limit: '5' }],
      });
      expect((await rig.store.write(removal(type, 'a', a, known))).outcome).toBe('committed');
      const counted = (version: Version, used: string) =>
        rig.store.write({
          op: 'update',
          type: accounts,
          ...key('q'),
          version,
          terminating: false,
          ...account({ pods: { limit: '5', used } }, true),
        });
      expect((await counted(known, '1')).outcome).toBe('conflict');
      expect((await counted((await rig.headOf(accounts)).head, '0')).outcome).toBe('committed');
      expect((await rig.store.write(creation(type, 'b', known))).outcome).toBe('committed');
      expect(await usedNow(accounts)).toEqual({ pods: '1' });
    });

    it('was planned with the terms of every account of its namespace, or is refused', async () => {
      const { accounts, type } = await setUp();
      const before = (await rig.headOf(accounts)).head;
      const plain = (name: string, known: Version, namespace = 'ns'): WriteOp => ({
        ...{ op: 'create', type, namespace, name, uid: 'u', requireNamespace: false, body: Buffer.from(name) },
        charging: { known },
      });
      expect((await rig.store.write(plain('a', before))).outcome).toBe('committed');
      const known = versionOf(await rig.store.write(open(accounts, 'q', { pods: { limit: '5', used: '1' } })));
      expect((await rig.store.write(plain('b', before))).outcome).toBe('accounts-changed');
      expect(await rig.store.writeSet([plain('x', known), plain('b', before)])).toMatchObject({
        item: 1,
        refusal: { outcome: 'accounts-changed' },
      });
      expect((await rig.store.write(plain('b', before, 'other'))).outcome).toBe('committed');
      expect((await rig.store.write(creation(type, 'b', known))).outcome).toBe('committed');
      const { head } = await rig.headOf(accounts);
      // What is charged leaves the terms as they are; who changes them makes plans old.
      const update = (version: Version, sameTerms: boolean): Promise<WriteOutcome> =>
        rig.store.write({
          op: 'update',
          type: accounts,
          ...key('q'),
          version,
          terminating: false,
          ...account({ pods: { limit: '6', used: '2' } }, sameTerms),
        });
      const same = versionOf(await update(head, true));
      expect((await rig.store.write(creation(type, 'c', known))).outcome).toBe('committed');
      const other = versionOf(await update((await rig.headOf(accounts)).head, false));
      expect(other).toBeGreaterThan(same);
      expect((await rig.store.write(creation(type, 'd', known))).outcome).toBe('accounts-changed');
      const gone = versionOf(
        await rig.store.write({ op: 'delete', type: accounts, ...key('q'), version: other, body: Buffer.from('{}') }),
      );
      expect(gone).toBeGreaterThan(other);
      expect((await rig.store.write(plain('e', known))).outcome).toBe('committed');
    });

    it('stands in the account before somebody writes that in the same batch', async () => {
      const { accounts, type } = await setUp();
      const known = versionOf(await rig.store.write(open(accounts, 'q', { pods: { limit: '9', used: '0' } })));
      const relabel: WriteOp = {
        op: 'update',
        type: accounts,
        ...key('q'),
        version: known,
        terminating: false,
        ...account({ pods: { limit: '9', used: '0' } }, true),
      };
      const [first, second, third] = await Promise.all([
        rig.store.writeSet([creation(type, 'a', known), creation(type, 'b', known)]),
        rig.store.write(relabel),
        rig.store.write(creation(type, 'c', known)),
      ]);
      expect([first.outcome, second.outcome, third.outcome]).toEqual(['committed', 'conflict', 'committed']);
      expect(await usedNow(accounts)).toEqual({ pods: '3' });
    });

    it('of an account and of others is one set', async () => {
      const { accounts } = await setUp();
      const limit = { quotas: { limit: '9', used: '1' } };
      const known = versionOf(await rig.store.write(open(accounts, 'q', limit)));
      const other: WriteOp = {
        ...open(accounts, 'r', { quotas: { limit: '9' } }),
        charging: { known, charges: [{ account: 'q', amounts: { quotas: '1' }, limited: true }] },
      };
      const r = versionOf(await rig.store.write(other));
      expect(await usedNow(accounts)).toEqual({ quotas: '2' });
      const ending: WriteOp = {
        op: 'delete',
        type: accounts,
        ...key('r'),
        version: r,
        body: Buffer.from('{}'),
        charging: { known: r, charges: ['q', 'r'].map((account) => ({ account, amounts: { quotas: '-1' } })) },
      };
      expect((await rig.store.write(ending)).outcome).toBe('committed');
      expect(await usedNow(accounts)).toEqual({ quotas: '1' });
    });

    it('of an account is in it before the account itself is written in the same batch', async () => {
      const { accounts } = await setUp();
      const known = versionOf(await rig.store.write(open(accounts, 'q', { quotas: { limit: '9', used: '1' } })));
      const charging = { known, charges: [{ account: 'q', amounts: { quotas: '1' }, limited: true }] };
      const other = (name: string): WriteOp => ({ ...open(accounts, name, {}), charging });
      const relabel: WriteOp = {
        ...{ op: 'update', type: accounts, ...key('q'), version: known, terminating: false },
        ...account({ quotas: { limit: '9', used: '1' } }, true),
      };
      const outcomes = await Promise.all([other('r'), relabel, other('s')].map((op) => rig.store.write(op)));
      // The third knows nothing of the first, which is an account itself.
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['committed', 'conflict', 'accounts-changed']);
      const of = (await rig.store.changes(accounts, known, 10)).filter(({ name }) => name === 'q');
      expect(of.map(({ body }) => usedOf(body))).toEqual([{ quotas: '2' }]);
    });

    it('cannot be what is no number, nor spoil a body', async () => {
      const { accounts, type } = await setUp();
      const wrong: readonly WriteOp[] = [
        creation(type, 'a', 0n, { pods: 'x' }),
        creation(type, 'a', 0n, { 'a"b': '1' }),
        open(accounts, 'q', { pods: { limit: '1e400' } }),
        { ...open(accounts, 'q', {}), tally: { place: { fromEnd: 1000, length: 3 }, amounts: {} } } as WriteOp,
      ];
      for (const op of wrong) await expect(rig.store.write(op)).rejects.toBeInstanceOf(TypeError);
    });

    it('leaves as much as there is at every version, whoever writes', async () => {
      const other = await rig.peer();
      const { accounts, type } = await setUp(other);
      const known = versionOf(await rig.store.write(open(accounts, 'q', { pods: { limit: '25', used: '0' } })));
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const store = i % 2 ? rig.store : other;
          const made = await store.write(creation(type, `p${i}`, known));
          if (made.outcome === 'committed' && i % 3 === 0)
            return store.write(removal(type, `p${i}`, made.version, known));
          return made;
        }),
      );
      const objects = await rig.store.changes(type, (await rig.headOf(type)).floor, 1000);
      const versions = await rig.store.changes(accounts, known, 1000);
      expect(versions.length).toBeGreaterThan(0);
      for (const { version, body } of versions) {
        const before = objects.filter((change) => change.version < version);
        const there = before.reduce((sum, { op }) => sum + (op === 'create' ? 1 : -1), 0);
        expect(usedOf(body)).toEqual({ pods: String(there) });
      }
      expect(outcomes.filter(({ outcome }) => outcome === 'exceeded').length).toBeGreaterThan(0);
      // The versions of a batch are its own: with many writers there are fewer than writes.
      expect(versions.length).toBeLessThan(objects.length);
    });
  });
}
