import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Change, Key, Row, Snapshot, Store, TypeId, Version, WriteOutcome } from './store.js';
import { HistoryExpiredError } from './store.js';
import { chooseSeed, seededRandom } from './testing/random.js';

/** A store with nothing in it, as the contract suite needs it. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Another store on the same state, as another process would open it; closed by {@link dispose}. */
  peer(): Promise<Store>;
  /** Drops all history that can be dropped, as compaction would after the retention. */
  compact(): Promise<void>;
  dispose(): Promise<void>;
}

const body = (value: string) => Buffer.from(`{"metadata":{"v":${JSON.stringify(value)}}}`);

/** What every {@link Store} must do; call at the top of a vitest file. */
export function describeStore(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name}: store contract`, () => {
    let subject: StoreUnderTest;
    let store: Store;
    let namespaces: TypeId;
    let serial = 0;

    beforeAll(async () => {
      subject = await makeStore();
      store = subject.store;
      [namespaces = 0] = await store.registerTypes([{ group: '', resource: 'namespaces' }]);
      store.setNamespaceType(namespaces);
    });
    afterAll(() => subject.dispose());

    const freshType = async (): Promise<TypeId> => {
      const [type = 0] = await store.registerTypes([{ group: 'test.example', resource: `things${++serial}` }]);
      return type;
    };
    const create = (type: TypeId, key: Key, text = 'new', requireNamespace = false) =>
      store.write({ op: 'create', type, ...key, uid: `u-${key.name.length}`, body: body(text), requireNamespace });
    const update = (type: TypeId, key: Key, version: Version, text: string, terminating = false) =>
      store.write({ op: 'update', type, ...key, version, body: body(text), terminating });
    const remove = (type: TypeId, key: Key, version: Version) =>
      store.write({ op: 'delete', type, ...key, version, body: body('last') });
    const key = (name: string, namespace = 'ns') => ({ namespace, name });
    const headOf = async (type: TypeId, from = store) => {
      const head = (await from.heads([type])).get(type);
      if (!head) throw new Error('no head');
      return head;
    };

    it('gives a type one id for ever, and its own starting version', async () => {
      const asked = [
        { group: 'a', resource: 'x' },
        { group: 'b', resource: 'x' },
        { group: 'a', resource: 'y' },
      ];
      const first = await store.registerTypes(asked);
      expect(new Set(first).size).toBe(3);
      const other = await subject.peer();
      expect(await other.registerTypes([...asked].reverse())).toEqual([...first].reverse());
      const [a, b] = await Promise.all([
        store.registerTypes([{ group: 'race', resource: 'r' }]),
        other.registerTypes([{ group: 'race', resource: 'r' }]),
      ]);
      expect(a).toEqual(b);
      const { head, floor } = await headOf(first[0] ?? 0);
      expect(head).toBeGreaterThan(0n);
      expect(floor).toBe(head);
    });

    it('creates, reads, updates and deletes, each once', async () => {
      const type = await freshType();
      const a = key('a');
      expect(await store.get(type, a)).toBeUndefined();
      const v1 = versionOf(await create(type, a, 'one'));
      expect(await store.get(type, a)).toEqual({ ...a, uid: 'u-1', version: v1, body: body('one') });
      expect(await create(type, a)).toEqual({ outcome: 'already-exists' });
      const v2 = versionOf(await update(type, a, v1, 'two'));
      expect(v2).toBeGreaterThan(v1);
      expect(await update(type, a, v1, 'three')).toEqual({ outcome: 'conflict', version: v2 });
      expect(await remove(type, a, v1)).toEqual({ outcome: 'conflict', version: v2 });
      expect((await store.get(type, a))?.body).toEqual(body('two'));
      expect(versionOf(await remove(type, a, v2))).toBeGreaterThan(v2);
      expect(await store.get(type, a)).toBeUndefined();
      expect(await update(type, a, v2, 'four')).toEqual({ outcome: 'not-found' });
      expect(await remove(type, a, v2)).toEqual({ outcome: 'not-found' });
    });

    it('keeps types, namespaces and names apart', async () => {
      const [one, two] = [await freshType(), await freshType()];
      for (const type of [one, two]) {
        for (const k of [key('a', 'n1'), key('a', 'n2'), key('a', '')]) {
          expect((await create(type, k, `${type}${k.namespace}`)).outcome).toBe('committed');
        }
      }
      expect((await store.get(two, key('a', 'n2')))?.body).toEqual(body(`${two}n2`));
    });

    it('keeps any bytes', async () => {
      const type = await freshType();
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
      const large = Buffer.alloc(1_500_000, bytes);
      for (const [name, value] of [
        ['all', bytes],
        ['empty', Buffer.alloc(0)],
        ['large', large],
      ] as const) {
        const written = await store.write({
          op: 'create',
          type,
          ...key(name),
          uid: 'u',
          body: value,
          requireNamespace: false,
        });
        expect((await store.get(type, key(name)))?.body.equals(value)).toBe(true);
        await store.write({
          op: 'update',
          type,
          ...key(name),
          version: versionOf(written),
          body: bytes,
          terminating: false,
        });
        const history = await store.changes(type, versionOf(written), 10);
        expect(history.find((change) => change.name === name)?.prior?.equals(value)).toBe(true);
      }
    });

    it('refuses names that cannot be stored, and only those', async () => {
      const type = await freshType();
      const bad = [key('a\0b'), key(''), key('x'.repeat(5000))];
      const attempts = [...bad, key('good')].map((k) => create(type, k).catch((error: unknown) => error));
      const outcomes = await Promise.all(attempts);
      for (const outcome of outcomes.slice(0, 3)) expect(outcome).toBeInstanceOf(Error);
      expect(outcomes[3]).toMatchObject({ outcome: 'committed' });
    });

    it('lets one of many writers of a version win', async () => {
      const type = await freshType();
      const version = versionOf(await create(type, key('hot')));
      const other = await subject.peer();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? store : other).write({
            op: 'update',
            type,
            ...key('hot'),
            version,
            body: body(`${i}`),
            terminating: false,
          }),
        ),
      );
      const winner = outcomes.findIndex((o) => o.outcome === 'committed');
      expect(outcomes.filter((o) => o.outcome === 'committed')).toHaveLength(1);
      expect(outcomes.filter((o) => o.outcome === 'conflict')).toHaveLength(19);
      expect((await store.get(type, key('hot')))?.body).toEqual(body(`${winner}`));
    });

    it('takes the same key twice in one breath', async () => {
      const type = await freshType();
      const outcomes = await Promise.all([
        create(type, key('k'), '1'),
        create(type, key('k'), '2'),
        create(type, key('l')),
      ]);
      expect(outcomes.map((o) => o.outcome)).toEqual(['committed', 'already-exists', 'committed']);
    });

    describe('namespaces', () => {
      const makeNamespace = async (name: string) => versionOf(await create(namespaces, key(name, '')));

      it('must exist and stay for creations that require them', async () => {
        const type = await freshType();
        expect(await create(type, key('a', 'nowhere'), '', true)).toEqual({ outcome: 'namespace-not-found' });
        expect((await create(type, key('a', 'nowhere'), '', false)).outcome).toBe('committed');
        const version = await makeNamespace('alive');
        expect((await create(type, key('a', 'alive'), '', true)).outcome).toBe('committed');
        const going = versionOf(await update(namespaces, key('alive', ''), version, 'going', true));
        expect(await create(type, key('b', 'alive'), '', true)).toEqual({ outcome: 'namespace-terminating' });
        // Finalizers may still change what is on its way out.
        const still = versionOf(await update(namespaces, key('alive', ''), going, 'still', true));
        expect(await create(type, key('b', 'alive'), '', true)).toEqual({ outcome: 'namespace-terminating' });
        await remove(namespaces, key('alive', ''), still);
        expect(await create(type, key('b', 'alive'), '', true)).toEqual({ outcome: 'namespace-not-found' });
        await makeNamespace('alive');
        expect((await create(type, key('b', 'alive'), '', true)).outcome).toBe('committed');
      });

      it('let nothing slip in behind a deletion', async () => {
        const type = await freshType();
        const other = await subject.peer();
        other.setNamespaceType(namespaces);
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
            await update(namespaces, key(ns, ''), version, 'closing', true);
            closed = true;
            return namesIn(await store.snapshot({ type, namespace: ns }));
          })();
          const attempts = Array.from({ length: 4 }, async (_, writer) => {
            for (let i = 0; !closed; i++) {
              const k = key(`w${writer}-${i}`, ns);
              await (writer % 2 ? store : other).write({
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
          expect(await namesIn(await store.snapshot({ type, namespace: ns }))).toEqual(seen);
        }
      });
    });

    describe('history', () => {
      it('is one chain, with the state before each change', async () => {
        const type = await freshType();
        const { head: start } = await headOf(type);
        const v1 = versionOf(await create(type, key('a'), '1'));
        const v2 = versionOf(await create(type, key('b'), '2'));
        const v3 = versionOf(await update(type, key('a'), v1, '3'));
        const v4 = versionOf(await remove(type, key('a'), v3));
        const history = await store.changes(type, start, 100);
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
        expect((await store.changes(type, v1, 2)).map((c) => c.version)).toEqual([v2, v3]);
        expect(await store.changes(type, v4, 10)).toEqual([]);
        expect(await headOf(type)).toEqual({ head: v4, floor: start });
        expect(await store.settledHead(type)).toEqual({ head: v4, floor: start });
        expect(await store.lastVersion()).toBeGreaterThanOrEqual(v4);
      });

      it('is told to listeners as it is kept, refusals left out', async () => {
        const type = await freshType();
        const { head: start } = await headOf(type);
        const told: Change[] = [];
        const stop = store.onCommit((changes) => told.push(...changes.filter((c) => c.type === type)));
        const versions = await Promise.all(
          Array.from({ length: 30 }, (_, i) => create(type, key(`n${i % 25}`), `${i}`)),
        );
        const a = versionOf(versions[0] as WriteOutcome);
        await remove(type, key('n0'), versionOf(await update(type, key('n0'), a, 'x')));
        stop();
        await create(type, key('unheard'));
        const kept = await store.changes(type, start, 1000);
        expect(told).toEqual(kept.slice(0, -1).map(({ prior, priorVersion, ...change }) => change));
        expect(told).toHaveLength(27);
      });

      it('shows a finished write to every later reader', async () => {
        const type = await freshType();
        const other = await subject.peer();
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
        await subject.compact();
        const { floor, head } = await headOf(type);
        expect([floor, head]).toEqual([mid, mid]);
        await expect(store.changes(type, old, 10)).rejects.toMatchObject({ requested: old, floor, head });
        await expect(store.snapshot({ type, at: old })).rejects.toBeInstanceOf(HistoryExpiredError);
        expect(await store.changes(type, mid, 10)).toEqual([]);
        const fresh = versionOf(await update(type, key('a'), mid, 'new'));
        expect((await store.changes(type, mid, 10)).map((c) => [c.previous, c.version])).toEqual([[mid, fresh]]);
        expect((await rowsOf(await store.snapshot({ type, at: mid }))).map((r) => r.body)).toEqual([body('mid')]);
        // A type in which nothing happened loses nothing.
        expect(await headOf(quiet)).toEqual(quietHead);
        expect(await store.changes(quiet, quietHead.head, 10)).toEqual([]);
      });
    });

    describe('snapshots', () => {
      it('come in byte order, by namespace, behind a key, with a limit and what it cut off', async () => {
        const type = await freshType();
        // UTF-16 order would put the astral character before U+FFFD.
        const names = ['a', 'a-b', 'a.b', 'ab', 'b', 'z', '\u{fffd}', '\u{1f600}'];
        const keys = ['', 'n', 'n-1', 'n1', 'z'].flatMap((ns) => names.map((n) => key(n, ns)));
        await Promise.all([...keys].reverse().map((k) => create(type, k)));
        const all = await store.snapshot({ type });
        expect((await rowsOf(all)).map(({ namespace, name }) => ({ namespace, name }))).toEqual(keys);
        expect(all.version).toBe((await headOf(type)).head);
        expect(all.remaining).toBeUndefined();
        expect(await namesIn(await store.snapshot({ type, namespace: 'n' }))).toEqual(names);
        expect(await namesIn(await store.snapshot({ type, namespace: 'none' }))).toEqual([]);
        const page = await store.snapshot({ type, after: key('b', 'n'), limit: 5, countRemaining: true });
        const rest = keys.slice(keys.findIndex((k) => k.namespace === 'n' && k.name === 'b') + 1);
        expect(page.remaining).toBe(rest.length - 5);
        expect((await rowsOf(page)).map(({ namespace, name }) => ({ namespace, name }))).toEqual(rest.slice(0, 5));
        const inside = await store.snapshot({
          type,
          namespace: 'n1',
          after: key('ab', 'n1'),
          limit: 100,
          countRemaining: true,
        });
        expect(inside.remaining).toBe(0);
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
        const streamed = await store.snapshot({ type });
        const first = await store.snapshot({ type, limit: 100, countRemaining: true });
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
          const next = await store.snapshot({ type, at: first.version, after, limit: 300, countRemaining: true });
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
          for await (const page of (await store.snapshot({ type })).pages) {
            expect(page.length).toBeGreaterThan(0);
            break;
          }
        }
        await expect(store.snapshot({ type, at: (await store.lastVersion()) + 1000n })).rejects.toBeInstanceOf(
          RangeError,
        );
        expect(await rowsOf(await store.snapshot({ type }))).toHaveLength(1100);
      });
    });

    it('rebuilds every version that it ever had (random, against a model)', async () => {
      const seed = chooseSeed();
      const random = seededRandom(seed);
      const type = await freshType();
      const model = new Map<string, Row>();
      const states: [Version, Row[]][] = [[(await headOf(type)).head, []]];
      for (let step = 0; step < 150; step++) {
        const k = key(`k${Math.floor(random() * 12)}`, `n${Math.floor(random() * 3)}`);
        const id = `${k.namespace}/${k.name}`;
        const row = model.get(id);
        const stale = random() < 0.1;
        const version = (row?.version ?? 5n) - (stale ? 1n : 0n);
        const dice = random();
        const outcome = await (dice < 0.4
          ? create(type, k, `s${step}`)
          : dice < 0.8
            ? update(type, k, version, `s${step}`)
            : remove(type, k, version));
        const expected =
          dice < 0.4 ? (row ? 'already-exists' : 'committed') : row ? (stale ? 'conflict' : 'committed') : 'not-found';
        expect(outcome.outcome, `seed ${seed}, step ${step}`).toBe(expected);
        if (outcome.outcome !== 'committed') continue;
        if (dice >= 0.8) model.delete(id);
        else model.set(id, { ...k, uid: 'u-2', version: outcome.version, body: body(`s${step}`) });
        states.push([outcome.version, [...model.values()].sort((a, b) => compare(a, b))]);
      }
      for (const [version, rows] of states) {
        const found = await rowsOf(await store.snapshot({ type, at: version }));
        expect(found.map(essence), `seed ${seed}, version ${version}`).toEqual(rows.map(essence));
        const one = await rowsOf(await store.snapshot({ type, at: version, namespace: 'n1', limit: 4 }));
        expect(one.map(essence)).toEqual(
          rows
            .filter((r) => r.namespace === 'n1')
            .slice(0, 4)
            .map(essence),
        );
      }
    });

    it('answers a ping, and nothing once it is closed', async () => {
      const other = await subject.peer();
      await other.ping();
      await other.close();
      await expect(other.ping()).rejects.toThrow();
      await expect(other.get(namespaces, key('a'))).rejects.toThrow();
    });
  });
}

function versionOf(outcome: WriteOutcome): Version {
  expect(outcome.outcome).toBe('committed');
  return outcome.outcome === 'committed' ? outcome.version : 0n;
}

async function rowsOf(snapshot: Snapshot): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of snapshot.pages) rows.push(...page);
  return rows;
}

async function namesIn(snapshot: Snapshot): Promise<string[]> {
  return (await rowsOf(snapshot)).map((row) => row.name);
}

function essence(row: Row): string {
  return `${row.namespace}/${row.name}@${row.version}=${row.body}`;
}

function compare(a: Key, b: Key): number {
  return (
    Buffer.compare(Buffer.from(a.namespace), Buffer.from(b.namespace)) ||
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))
  );
}
